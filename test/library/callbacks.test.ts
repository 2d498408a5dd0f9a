import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { score } from '../../src/library/score.ts';
import { Client } from '../../src/library/scorers/client.ts';
import { train } from '../../src/library/train.ts';
import { root } from '../support/root.ts';
import { slow } from '../support/slow.ts';
import { send } from '../support/stub/service.ts';
import { bench, csv } from './bench.ts';

const cause = new Error('the database is gone');
const rejects = async (): Promise<void> => {
  await sleep(1);
  throw cause;
};
const failed = (name: string) => ({
  code: 'callback_failed',
  exitCode: 3,
  message: `${name} failed: the database is gone`,
  cause,
});

describe('an asynchronous callback that rejects', () => {
  it('fails the run like one that throws, and the same call resumes', async t => {
    const { run, at, read, write } = await bench(t);
    const text = csv(1500).replace('r7,', 'r7,x,');
    const whole = await write('in.csv', text);
    await score({ input: whole, output: at('expected.csv'), ...run });
    // The rest of the input never comes: the run fails without another call.
    async function* halfOfIt() {
      yield Buffer.from(text.slice(0, 4000));
      await new Promise(() => {});
    }
    for (const name of ['onProgress', 'onReject'] as const) {
      const callbacks = { [name]: rejects };
      const output = at(`${name}.csv`);
      const stopped = score({ input: halfOfIt(), output, ...run, ...callbacks, summary: at('s.json') });
      await assert.rejects(stopped, failed(name));
      const { status, exit_code, error } = JSON.parse(await read('s.json'));
      assert.deepEqual([status, exit_code, error.code], ['stopped', 3, 'callback_failed']);
      const summary = await score({ input: Readable.from([Buffer.from(text)]), output, ...run });
      assert.equal(await read(`${name}.csv`), await read('expected.csv'));
      // A first call for progress may come before the first row.
      if (name === 'onReject') assert.ok((summary.resumed_from_row ?? 0) > 1);
    }
  });

  it('with the last rows fails the run before the output appears', async t => {
    const { folder, job } = await bench(t);
    const onProgress = async () => {
      await sleep(50);
      throw cause;
    };
    await assert.rejects(score({ ...job, onProgress }), failed('onProgress'));
    assert.ok(!(await readdir(folder)).includes('out.csv'));
  });

  it('for a retry fails what waits for it: a run, or a call of a client', async t => {
    const { stub, job } = await bench(t, {
      behave({ response }) {
        send(response, 503, { code: 'busy' });
        return true;
      },
    });
    const failing = score({ ...job, maxOutage: '1d', onRetry: rejects });
    await assert.rejects(failing, failed('onRetry'));
    const client = new Client({ url: stub.url, key: stub.key, maxOutage: '1d', onRetry: rejects });
    t.after(() => client.close());
    await assert.rejects(client.batchPersona('r', [{ id: 'r1', amount: 1 }]), failed('onRetry'));
  });

  slow('fails a training, as does one that throws', async t => {
    const { folder } = await bench(t);
    const history = join(root, 'fixtures/telecom-history.csv');
    const throws = (): void => {
      throw cause;
    };
    for (const onStep of [rejects, throws])
      await assert.rejects(train({ history, predict: 'churned', home: folder, onStep }), failed('onStep'));
    assert.deepEqual(await readdir(folder), ['in.csv']);
  });
});

describe('an asynchronous callback', () => {
  it('is waited for before the run finishes', async t => {
    const { at, write, job } = await bench(t);
    const input = await write('in.csv', csv(3).replace('r1,', 'r1,x,'));
    let isDone = false;
    const onReject = async () => {
      await sleep(50);
      assert.deepEqual((await readdir(at('.'))).includes('out.csv'), false);
      isDone = true;
    };
    await score({ ...job, input, onReject });
    assert.equal(isDone, true);
    assert.match(await readFile(at('out.csv'), 'utf8'), /^id,amount/);
  });
});
