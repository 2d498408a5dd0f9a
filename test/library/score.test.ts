import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { RowcastError } from '../../src/base/errors.ts';
import type { Progress, Retry } from '../../src/library/callbacks.ts';
import { score } from '../../src/library/score.ts';
import { LocalScorer } from '../../src/library/scorers/local-scorer.ts';
import { rowcast } from '../support/in-process.ts';
import { trainedHome } from '../support/service/serving.ts';
import { slow } from '../support/slow.ts';
import { send } from '../support/stub/service.ts';
import { bench, csv } from './bench.ts';

describe('score of the library', () => {
  it('writes what the command writes, with options in camel case and values as in a definition', async t => {
    const { stub, run, folder, at, read, write } = await bench(t);
    const input = await write('in.csv', csv(2500).replace('r7,', 'r7,x,'));
    const summary = await score({
      ...{
        input,
        output: at('a.csv'),
        ...run,
        batchBytes: '64KiB',
        maxRejects: '1%',
        checkpointInterval: '500ms',
      },
      prediction: true,
      keep: ['id'],
      decimals: 3,
      summary: at('s.json'),
    });
    const args = 'score in.csv -o b.csv --report r --prediction --keep id --decimals 3'.split(' ');
    const { env } = stub;
    assert.equal((await rowcast(args, { cwd: folder, env })).code, 1);
    assert.equal(await read('a.csv'), await read('b.csv'));
    assert.equal(await read('a.csv.rejects'), await read('b.csv.rejects'));
    assert.deepEqual(summary, JSON.parse(await read('s.json')));
    const { status, exit_code, rows, rejects, service, input: name, options } = summary;
    assert.deepEqual([status, exit_code], ['finished', 1]);
    assert.deepEqual([rows.read, rows.scored, rows.rejected], [2500, 2499, 1]);
    assert.deepEqual([name, rejects, service], [input, at('a.csv.rejects'), stub.url]);
    assert.equal(options['max-rejects'], '1%');
    assert.match(summary.version ?? '', /^\d+\.\d+\.\d+/);
  });

  slow('reads a path, a URL, a Readable and an iterable of bytes, plain or gzip', async t => {
    const { run, at, read, write } = await bench(t);
    const text = csv(300);
    const input = await write('in.csv', text);
    await score({ input, output: at('expected.csv'), ...run });
    async function* bytes() {
      for (const byte of Buffer.from(text)) yield Uint8Array.of(byte);
    }
    const inputs = [pathToFileURL(input), Readable.from([gzipSync(text)]), bytes()];
    for (const given of inputs) {
      await score({ input: given, output: pathToFileURL(at('out.csv')), ...run });
      assert.equal(await read('out.csv'), await read('expected.csv'));
    }
  });

  it('scores with the local reports in a folder, its own or those of a given scorer', async t => {
    const { at, read, write } = await bench(t);
    const home = await trainedHome();
    const scorer = await LocalScorer.open({ home, threads: 1 });
    t.after(() => scorer.close());
    const input = await write('in.csv', 'monthly amount,plan\n25.5,Basic\n3,Plus\n');
    const run = { input, report: 'one', allowMissing: true };
    await score({ ...run, output: at('a.csv'), home });
    // Two at once: they share its threads.
    await Promise.all(
      ['b.csv', 'c.csv'].map(async name => {
        const { service } = await score({ ...run, output: at(name), scorer });
        assert.equal(service, 'local');
        assert.equal(await read(name), await read('a.csv'));
      }),
    );
  });

  it('says how far it is, which rows are rejected and which requests are retried', async t => {
    const { write, job } = await bench(t, {
      behave({ number, response }) {
        if (number !== 1) return false;
        send(response, 503, { code: 'busy' }, { 'retry-after': '0' });
        return true;
      },
    });
    const input = await write('in.csv', csv(1500).replace('r7,', 'r7,x,'));
    const progress: Progress[] = [];
    const retries: Retry[] = [];
    const lines: number[] = [];
    await score({
      ...job,
      input,
      batchRows: 500,
      onProgress: now => progress.push(now),
      onReject: ({ line }) => lines.push(line),
      onRetry: retry => retries.push(retry),
    });
    assert.deepEqual(lines, [9]);
    assert.deepEqual(
      retries.map(({ error }) => error.code),
      ['busy'],
    );
    const last = progress.at(-1);
    assert.deepEqual(last?.rows, { read: 1500, scored: 1499, rejected: 1 });
    assert.deepEqual([last?.fraction, last?.etaSeconds, last?.retries, last?.inFlight], [1, 0, 1, 0]);
    assert.ok(progress.length > 2);
  });

  it('rejects with a RowcastError: a code, what a scheduler would do, where, and what to do', async t => {
    const { at, folder, job } = await bench(t);
    const missing = { code: 'no_such_file', exitCode: 2, retryable: false, hint: 'Check the path.' };
    await assert.rejects(score({ ...job, input: at('x.csv') }), (error: RowcastError) => {
      assert.ok(error instanceof RowcastError);
      assert.deepEqual(error.location, { file: at('x.csv') });
      const { code, exitCode, retryable, hint } = error;
      assert.deepEqual({ code, exitCode, retryable, hint }, missing);
      return true;
    });
    const wrong: [object, RegExp][] = [
      [{ maxoutage: 5 }, /^unknown option "maxoutage"$/],
      [{ jobs: 2 }, /^unknown option "jobs"$/],
      [{ lineage: 'l.jsonl' }, /^unknown option "lineage"$/],
      [{ maxOutage: '5x' }, /^maxOutage: expected a duration from 0s to 7d/],
      [{ batchBytes: '1MB' }, /^batchBytes: .*did you mean 1MiB\?/],
      [{ ifExists: 'overwrite' }, /^ifExists: expected one of replace, fail, skip/],
      [{ input: 7 }, /^input: expected a path/],
    ];
    for (const [options, message] of wrong)
      await assert.rejects(score({ ...job, ...options }), {
        code: 'bad_option',
        exitCode: 2,
        message,
      });
    const failing = {
      onProgress() {
        throw new Error('mine');
      },
    };
    await assert.rejects(score({ ...job, ...failing }), {
      code: 'callback_failed',
      exitCode: 3,
      message: 'onProgress failed: mine',
    });
    assert.ok(!(await readdir(folder)).includes('out.csv'));
  });

  it('says that a run was skipped', async t => {
    const { stub, run, read, write } = await bench(t);
    const [input, output] = [await write('in.csv', csv(3)), await write('out.csv', 'mine')];
    const { status, exit_code } = await score({ input, output, ...run, ifExists: 'skip' });
    assert.deepEqual([status, exit_code], ['skipped', 0]);
    await assert.rejects(score({ input, output, ...run, ifExists: 'fail' }), { code: 'output_exists' });
    assert.deepEqual([await read('out.csv'), stub.bodies.length], ['mine', 0]);
    assert.equal(await score({ input, output, ...run, limit: 2 }).then(({ rows }) => rows.read), 2);
  });
});
