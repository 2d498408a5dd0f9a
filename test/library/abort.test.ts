import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { Readable, Writable } from 'node:stream';
import { describe, it } from 'node:test';
import { score } from '../../src/library/score.ts';
import { bench, csv } from './bench.ts';

const why = new Error('the reason');
const interrupted = { code: 'interrupted', exitCode: 75, retryable: true, cause: why };

// At the same time, because two of them wait for the end of what cannot be stopped.
describe('a run of the library can be aborted', { concurrency: true }, () => {
  it('before it starts, and writes nothing', async t => {
    const { folder, job } = await bench(t);
    const signal = AbortSignal.abort(why);
    await assert.rejects(score({ ...job, signal }), interrupted);
    assert.deepEqual(await readdir(folder), ['in.csv']);
  });

  it('while it waits for its input, keeps what was read, and resumes with the same call', async t => {
    const { run, at, read, write } = await bench(t);
    const whole = await write('in.csv', csv(400));
    await score({ input: whole, output: at('expected.csv'), ...run });
    const stop = new AbortController();
    async function* halfOfIt() {
      yield Buffer.from(csv(400).slice(0, 2000));
      await new Promise(() => {});
    }
    const output = at('out.csv');
    const first = score({
      input: halfOfIt(),
      output,
      ...run,
      summary: at('s.json'),
      signal: stop.signal,
      onProgress: ({ rows }) => rows.read > 0 && stop.abort(why),
    });
    await assert.rejects(first, interrupted);
    assert.ok(!(await readdir(at('.'))).includes('out.csv'));
    const { status, exit_code, error, run_id } = JSON.parse(await read('s.json'));
    assert.deepEqual([status, exit_code, error.code], ['stopped', 75, 'interrupted']);

    const summary = await score({ input: Readable.from([Buffer.from(csv(400))]), output, ...run });
    assert.equal(await read('out.csv'), await read('expected.csv'));
    assert.ok((summary.resumed_from_row ?? 0) > 1);
    assert.deepEqual([summary.run_id, summary.attempts], [run_id, 2]);
  });

  it('while it waits for the report', async t => {
    const stop = new AbortController();
    const { folder, job } = await bench(t, {
      first() {
        stop.abort(why);
        return true;
      },
    });
    await assert.rejects(score({ ...job, signal: stop.signal }), interrupted);
    assert.deepEqual(await readdir(folder), ['in.csv']);
  });

  it('while it waits for a retry, and does not wait for the rest of the outage', async t => {
    const stop = new AbortController();
    const { stub, job } = await bench(t, {
      behave({ response }) {
        response.destroy();
        return true;
      },
    });
    const aborted = score({
      ...job,
      maxOutage: '1d',
      signal: stop.signal,
      onRetry: () => void stub.goDown().then(() => stop.abort(why)),
    });
    await assert.rejects(aborted, interrupted);
  });

  it('while its output stream does not finish, and destroys it', async t => {
    const stop = new AbortController();
    const { job } = await bench(t);
    const output = new Writable({ write: (_, __, done) => done(), final: () => stop.abort(why) });
    await assert.rejects(score({ ...job, output, signal: stop.signal }), interrupted);
    assert.ok(output.destroyed);
  });

  it('while a scorer of the caller does not notice', async t => {
    const stop = new AbortController();
    const { client, job } = await bench(t);
    const scorer = {
      name: 'deaf',
      report: (id: string) => client.report(id),
      score(): Promise<never> {
        stop.abort(why);
        return new Promise(() => {});
      },
      close: async () => {},
    };
    await assert.rejects(score({ ...job, scorer, signal: stop.signal }), interrupted);
  });

  it('while it waits for an iterator whose return is not asynchronous, or throws', async t => {
    for (const end of [() => ({ done: true as const, value: undefined }), () => assert.fail('not now')]) {
      const stop = new AbortController();
      const { run, at } = await bench(t);
      const next = (): Promise<never> => {
        setImmediate(() => stop.abort(why));
        return new Promise(() => {});
      };
      const input = { [Symbol.asyncIterator]: () => ({ next, return: end }) };
      const aborted = score({
        input: input as unknown as AsyncIterable<Buffer>,
        output: at('out.csv'),
        ...run,
        signal: stop.signal,
      });
      await assert.rejects(aborted, interrupted);
    }
  });
});
