import assert from 'node:assert/strict';
import { closeSync, constants, existsSync, openSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { describe, it, type TestContext } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { Summary } from '../../src/runs/summary/summary.ts';
import { commandsIn } from '../support/cli/commands.ts';
import { makeFifo } from '../support/fifo.ts';
import { exits, type Finished, waitForStderr } from '../support/rowcast.ts';
import { slow } from '../support/slow.ts';
import { type StubOptions, send, startStub } from '../support/stub/service.ts';

const score = 'score in.csv --report r -o out.csv --summary s.json --batch-rows 10 --concurrency 1';

/** A folder with in.csv of 40 rows, and the summary of an earlier run. */
async function bench(t: TestContext, options: StubOptions = {}) {
  const { env } = await startStub(t, { report: { classes: ['no', 'yes'] }, ...options });
  const rows = Array.from({ length: 40 }, (_, row) => `${row}\n`);
  const files = { 'in.csv': `id\n${rows.join('')}`, 's.json': '"yesterday"' };
  const commands = await commandsIn(t, files, env);
  const { run, start, jsonIn } = commands;
  return {
    ...commands,
    start: (more = '') => start(`${score} ${more}`),
    score: (more = '') => run(`${score} ${more}`),
    summary: (): Promise<Summary> => jsonIn('s.json'),
  };
}

describe('the summary of a run', { concurrency: 2 }, () => {
  it('says "running" until the run ends, then how it was stopped and at which row; after the next run, that it finished', async t => {
    let seen: Summary | undefined;
    let isRefusing = true;
    const { score, summary } = await bench(t, {
      async behave({ number, response }) {
        if (number === 1) seen = await summary();
        if (number < 4 || !isRefusing) return false;
        send(response, 401, { code: 'unauthorized', detail: 'no more' });
        return true;
      },
    });
    await exits(score(), 3);
    assert.deepEqual([seen?.status, seen?.exit_code, seen?.finished_at], ['running', null, null]);
    const stopped = await summary();
    assert.deepEqual([stopped.status, stopped.exit_code, stopped.rows.read], ['stopped', 3, 30]);
    assert.deepEqual([stopped.error?.code, stopped.error?.row], ['unauthorized', 31]);
    assert.ok(stopped.finished_at);
    isRefusing = false;
    await exits(score(), 0);
    const finished = await summary();
    assert.deepEqual([finished.status, finished.exit_code, finished.error], ['finished', 0, null]);
    assert.deepEqual([finished.rows.read, finished.resumed_from_row], [40, 31]);
    assert.deepEqual([stopped.attempts, finished.attempts], [1, 2]);
    assert.deepEqual([seen?.run_id, finished.run_id], [stopped.run_id, stopped.run_id]);
    assert.equal(finished.started_at, stopped.started_at);
    await score('--if-exists skip');
    const skipped = await summary();
    assert.equal(skipped.status, 'skipped');
    assert.ok(skipped.run_id > finished.run_id, 'another run has an id that sorts after it');
  });

  it('says why it was refused, even before the service was called', async t => {
    const { score, summary, cwd } = await bench(t);
    for (const [more, code] of [
      ['--url nonsense', 'bad_url'],
      ['--features none', 'missing_columns'],
      ['--api-key-file none', 'no_key'],
    ] as const) {
      await exits(score(more), 2);
      const { status, exit_code, error } = await summary();
      assert.deepEqual([status, exit_code, error?.code], ['refused', 2, code]);
    }
    assert.deepEqual((await readdir(cwd)).sort(), ['in.csv', 's.json']);
  });

  for (const [signal, code] of [
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)
    (signal === 'SIGHUP' ? slow : it)(`says which signal stopped it: ${signal}`, async t => {
      let stop = (): void => {};
      const { start, summary } = await bench(t, {
        async behave({ number }) {
          if (number === 2) stop();
          return false;
        },
      });
      const { child, finished } = start();
      stop = () => child.kill(signal);
      await exits(finished, code);
      const { status, exit_code, error } = await summary();
      assert.deepEqual([status, exit_code, error?.code], ['stopped', code, 'interrupted']);
    });

  slow('says which second signal ended it, and how far the last checkpoint goes', async t => {
    let stop = (): void => {};
    const stuck = new Promise<void>(resolve => {
      stop = resolve;
    });
    const { start, summary, cwd, path, jsonIn } = await bench(t, {
      async behave({ number }) {
        if (number < 4) return false;
        stop();
        return new Promise(() => {});
      },
    });
    const { child, finished } = start('--checkpoint-interval 0');
    await stuck;
    while (!existsSync(path('out.csv.checkpoint'))) await setImmediate();
    child.kill('SIGINT');
    await waitForStderr(child, /SIGINT: finishing/);
    child.kill('SIGTERM');
    assert.equal((await finished).signal, 'SIGTERM');
    const { status, exit_code, error, rows } = await summary();
    assert.deepEqual([status, exit_code, error?.message], ['stopped', 143, 'stopped by SIGTERM']);
    const { rowCounts } = await jsonIn('out.csv.checkpoint');
    // The next checkpoint may have just been written.
    assert.ok(rows.read > 0 && rows.read <= rowCounts.read);
    assert.ok(!(await readdir(cwd)).includes('s.json.partial'));
  });

  slow('says which signal stopped it before the service was reached', async t => {
    const { start, summary, path } = await bench(t);
    await makeFifo(path('key'));
    // rowcast waits for the key, which nobody writes.
    const { child, finished } = start('--api-key-file key');
    const writer = await writerOf(path('key'));
    t.after(() => closeSync(writer));
    assert.equal((await summary()).status, 'running');
    child.kill('SIGINT');
    // The signal kills it, because the thread that waits for the key cannot be stopped.
    assert.equal((await finished).signal, 'SIGINT');
    const { status, exit_code, error, service } = await summary();
    assert.deepEqual([status, exit_code, error?.code, service], ['stopped', 130, 'interrupted', null]);
  });

  it('says why it was refused if the output cannot be opened, unless the summary file may be something else', async t => {
    const { score, summary, read, write } = await bench(t);
    await exits(score('-o in.csv/out.csv'), 2);
    const { status, exit_code, error } = await summary();
    assert.deepEqual([status, exit_code, error?.code], ['refused', 2, 'unwritable_output']);
    await write('s.json', '"yesterday"');
    for (const more of ['-o s.json', '-o in.csv/out.csv --summary in.csv', '--batch-rows many'])
      await exits(score(more), 2);
    assert.equal(await read('s.json'), '"yesterday"');
    assert.match(await read('in.csv'), /^id\n0\n/);
  });

  it('is unchanged if the run is refused because another one is writing the output', async t => {
    let locked: Promise<Finished> | undefined;
    const { read, write, start } = await bench(t, {
      async behave({ number }) {
        if (number === 2) {
          locked = start('--summary other.json').finished;
          await locked;
        }
        return false;
      },
    });
    await write('other.json', '"yesterday"');
    await exits(start().finished, 0);
    assert.ok(locked);
    await exits(locked, 75, /\[locked\]/);
    assert.equal(await read('other.json'), '"yesterday"');
  });

  it('that cannot be written is refused before the run starts', async t => {
    const { cwd, score } = await bench(t);
    const says = /in\.csv\/s\.json: cannot write the output: .*not a (directory|folder)/;
    await exits(score('--summary in.csv/s.json'), 2, says);
    assert.deepEqual((await readdir(cwd)).sort(), ['in.csv', 's.json']);
  });
});

describe('a definition that trains', () => {
  const trains = (history: string, files = 'input: in.csv, output: out.csv, summary: s.json'): string =>
    `train: { history: ${history}, predict: id, report: r }\nscore: { ${files}, report: r }\n`;

  it('is refused if a service would predict', async t => {
    const env = { ROWCAST_URL: 'http://127.0.0.1:9', ROWCAST_API_KEY: 'not-to-be-sent' };
    const { run, jsonIn } = await commandsIn(t, { 'job.yaml': trains('in.csv'), 'in.csv': 'id\n1\n' }, env);
    const says = /job\.yaml: its report is trained on this machine, but a service would predict \[usage\]/;
    await exits(run('run job.yaml'), 2, says);
    assert.equal((await jsonIn('s.json')).status, 'refused');
  });

  it('reports in its summary that the training has failed', async t => {
    const files = { 'job.yaml': trains('in.csv'), 'in.csv': 'id\n1\n', 's.json': '"yesterday"' };
    const { run, jsonIn } = await commandsIn(t, files);
    await exits(run('run job.yaml'), 2);
    const { status, error } = await jsonIn('s.json');
    assert.deepEqual([status, error.code], ['refused', 'too_few_rows']);
  });

  slow('and is killed then leaves a summary that says "running"', async t => {
    const files = { 'job.yaml': trains('history.csv'), 's.json': '"yesterday"' };
    const { start, path, jsonIn } = await commandsIn(t, files);
    await makeFifo(path('history.csv')); // has no writer
    const { child, finished } = start('run job.yaml');
    await waitForStderr(child, /training/);
    child.kill('SIGKILL');
    await finished;
    const { status, exit_code } = await jsonIn('s.json');
    assert.deepEqual([status, exit_code], ['running', null]);
  });

  it('is refused before that if its output is its own history', async t => {
    const job = trains('in.csv', 'input: none.csv, output: in.csv');
    const { run, cwd } = await commandsIn(t, { 'job.yaml': job, 'in.csv': 'id\n1\n' });
    const says = /the output and the history are the same file/;
    const { stderr } = await exits(run('run job.yaml'), 2, says);
    assert.ok(!stderr.includes('training on'));
    assert.deepEqual((await readdir(cwd)).sort(), ['in.csv', 'job.yaml']);
  });
});

/** Opens a FIFO for writing, once a process reads it. */
async function writerOf(path: string): Promise<number> {
  for (;;)
    try {
      return openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
    } catch (error) {
      assert.equal((error as NodeJS.ErrnoException).code, 'ENXIO');
      await setImmediate();
    }
}
