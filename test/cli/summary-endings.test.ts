import assert from 'node:assert/strict';
import { closeSync, constants, existsSync, openSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { Summary } from '../../src/runs/summary/summary.ts';
import { makeFifo } from '../support/fifo.ts';
import { newFolder } from '../support/folder.ts';
import { rowcast } from '../support/in-process.ts';
import { exits, type Finished, startRowcast, waitForStderr } from '../support/rowcast.ts';
import { slow } from '../support/slow.ts';
import { type StubOptions, send, startStub } from '../support/stub/service.ts';

interface Bench {
  folder: string;
  start(...more: string[]): ReturnType<typeof startRowcast>;
  run(...more: string[]): Promise<Finished>;
  summary(): Promise<Summary>;
}

/** A folder with in.csv of 40 rows, and the summary of an earlier run. */
async function bench(t: TestContext, options: StubOptions = {}): Promise<Bench> {
  const { env } = await startStub(t, { report: { classes: ['no', 'yes'] }, ...options });
  const folder = await newFolder(t);
  await writeFile(
    join(folder, 'in.csv'),
    `id\n${Array.from({ length: 40 }, (_, row) => `${row}\n`).join('')}`,
  );
  await writeFile(join(folder, 's.json'), '"yesterday"');
  const words = ['score', 'in.csv', '--report', 'r', '-o', 'out.csv', '--summary', 's.json'];
  const args = [...words, '--batch-rows', '10', '--concurrency', '1'];
  return {
    folder,
    start: (...more) => startRowcast([...args, ...more], { cwd: folder, env }),
    run: (...more) => rowcast([...args, ...more], { cwd: folder, env }),
    summary: async () => JSON.parse(await readFile(join(folder, 's.json'), 'utf8')),
  };
}

describe('the summary of a run', { concurrency: 2 }, () => {
  it('says "running" until the run ends, then how it was stopped and at which row; after the next run, that it finished', async t => {
    let seen: Summary | undefined;
    let isRefusing = true;
    const { folder, run, summary } = await bench(t, {
      async behave({ number, response }) {
        if (number === 1) seen = JSON.parse(await readFile(join(folder, 's.json'), 'utf8'));
        if (number < 4 || !isRefusing) return false;
        send(response, 401, { code: 'unauthorized', detail: 'no more' });
        return true;
      },
    });
    assert.equal((await run()).code, 3);
    assert.deepEqual([seen?.status, seen?.exit_code, seen?.finished_at], ['running', null, null]);
    const stopped = await summary();
    assert.deepEqual([stopped.status, stopped.exit_code, stopped.rows.read], ['stopped', 3, 30]);
    assert.deepEqual([stopped.error?.code, stopped.error?.row], ['unauthorized', 31]);
    assert.ok(stopped.finished_at);
    isRefusing = false;
    assert.equal((await run()).code, 0);
    const finished = await summary();
    assert.deepEqual([finished.status, finished.exit_code, finished.error], ['finished', 0, null]);
    assert.deepEqual([finished.rows.read, finished.resumed_from_row], [40, 31]);
    assert.deepEqual([stopped.attempts, finished.attempts], [1, 2]);
    assert.deepEqual([seen?.run_id, finished.run_id], [stopped.run_id, stopped.run_id]);
    assert.equal(finished.started_at, stopped.started_at);
    await run('--if-exists', 'skip');
    const skipped = await summary();
    assert.equal(skipped.status, 'skipped');
    assert.ok(skipped.run_id > finished.run_id, 'another run has an id that sorts after it');
  });

  it('says why it was refused, even before the service was called', async t => {
    const { run, summary, folder } = await bench(t);
    for (const [more, code] of [
      [['--url', 'nonsense'], 'bad_url'],
      [['--features', 'none'], 'missing_columns'],
      [['--api-key-file', 'none'], 'no_key'],
    ] as const) {
      assert.equal((await run(...more)).code, 2);
      const { status, exit_code, error } = await summary();
      assert.deepEqual([status, exit_code, error?.code], ['refused', 2, code]);
    }
    assert.deepEqual((await readdir(folder)).sort(), ['in.csv', 's.json']);
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
      assert.equal((await finished).code, code);
      const { status, exit_code, error } = await summary();
      assert.deepEqual([status, exit_code, error?.code], ['stopped', code, 'interrupted']);
    });

  slow('says which second signal ended it, and how far the last checkpoint goes', async t => {
    let stop = (): void => {};
    const stuck = new Promise<void>(resolve => {
      stop = resolve;
    });
    const { start, summary, folder } = await bench(t, {
      async behave({ number }) {
        if (number < 4) return false;
        stop();
        return new Promise(() => {});
      },
    });
    const { child, finished } = start('--checkpoint-interval', '0');
    await stuck;
    while (!existsSync(join(folder, 'out.csv.checkpoint'))) await setImmediate();
    child.kill('SIGINT');
    await waitForStderr(child, /SIGINT: finishing/);
    child.kill('SIGTERM');
    assert.equal((await finished).signal, 'SIGTERM');
    const { status, exit_code, error, rows } = await summary();
    assert.deepEqual([status, exit_code, error?.message], ['stopped', 143, 'stopped by SIGTERM']);
    const checkpoint = JSON.parse(await readFile(join(folder, 'out.csv.checkpoint'), 'utf8'));
    // The next checkpoint may have just been written.
    assert.ok(rows.read > 0 && rows.read <= checkpoint.rowCounts.read);
    assert.ok(!(await readdir(folder)).includes('s.json.partial'));
  });

  slow('says which signal stopped it before the service was reached', async t => {
    const { start, summary, folder } = await bench(t);
    await makeFifo(join(folder, 'key'));
    // rowcast waits for the key, which nobody writes.
    const { child, finished } = start('--api-key-file', 'key');
    const writer = await writerOf(join(folder, 'key'));
    t.after(() => closeSync(writer));
    assert.equal((await summary()).status, 'running');
    child.kill('SIGINT');
    // The signal kills it, because the thread that waits for the key cannot be stopped.
    assert.equal((await finished).signal, 'SIGINT');
    const { status, exit_code, error, service } = await summary();
    assert.deepEqual([status, exit_code, error?.code, service], ['stopped', 130, 'interrupted', null]);
  });

  it('says why it was refused if the output cannot be opened, unless the summary file may be something else', async t => {
    const { run, summary, folder } = await bench(t);
    assert.equal((await run('-o', 'in.csv/out.csv')).code, 2);
    const { status, exit_code, error } = await summary();
    assert.deepEqual([status, exit_code, error?.code], ['refused', 2, 'unwritable_output']);
    await writeFile(join(folder, 's.json'), '"yesterday"');
    for (const more of [
      ['-o', 's.json'],
      ['-o', 'in.csv/out.csv', '--summary', 'in.csv'],
      ['--batch-rows', 'many'],
    ])
      assert.equal((await run(...more)).code, 2);
    assert.equal(await readFile(join(folder, 's.json'), 'utf8'), '"yesterday"');
    assert.match(await readFile(join(folder, 'in.csv'), 'utf8'), /^id\n0\n/);
  });

  it('is unchanged if the run is refused because another one is writing the output', async t => {
    let locked: Promise<Finished> | undefined;
    const { folder, start } = await bench(t, {
      async behave({ number }) {
        if (number === 2) {
          locked = start('--summary', 'other.json').finished;
          await locked;
        }
        return false;
      },
    });
    await writeFile(join(folder, 'other.json'), '"yesterday"');
    assert.equal((await start().finished).code, 0);
    const { code, stderr } = (await locked) ?? {};
    assert.equal(code, 75);
    assert.match(stderr ?? '', /\[locked\]/);
    assert.equal(await readFile(join(folder, 'other.json'), 'utf8'), '"yesterday"');
  });

  it('that cannot be written is refused before the run starts', async t => {
    const { folder, run } = await bench(t);
    await exits(
      run('--summary', 'in.csv/s.json'),
      2,
      /in\.csv\/s\.json: cannot write the output: .*not a (directory|folder)/,
    );
    assert.deepEqual((await readdir(folder)).sort(), ['in.csv', 's.json']);
  });
});

it('a definition that trains is refused if a service would predict', async t => {
  const definition =
    'train: {history: in.csv, predict: id, report: r}\nscore: {input: in.csv, report: r, output: out.csv, summary: s.json}\n';
  const folder = await newFolder(t, { 'job.yaml': definition, 'in.csv': 'id\n1\n' });
  const env = { ROWCAST_URL: 'http://127.0.0.1:9', ROWCAST_API_KEY: 'not-to-be-sent' };
  await exits(
    rowcast(['run', 'job.yaml'], { cwd: folder, env }),
    2,
    /job\.yaml: its report is trained on this machine, but a service would predict \[usage\]/,
  );
  assert.equal(JSON.parse(await readFile(join(folder, 's.json'), 'utf8')).status, 'refused');
});

it('a definition whose training fails reports that in its summary', async t => {
  const definition =
    'train: {history: in.csv, predict: id, report: r}\nscore: {input: in.csv, report: r, output: out.csv, summary: s.json}\n';
  const folder = await newFolder(t, { 'job.yaml': definition, 'in.csv': 'id\n1\n', 's.json': '"yesterday"' });
  await exits(rowcast(['run', 'job.yaml'], { cwd: folder }), 2);
  const { status, error } = JSON.parse(await readFile(join(folder, 's.json'), 'utf8'));
  assert.deepEqual([status, error.code], ['refused', 'too_few_rows']);
});

slow('a definition that is killed while it trains leaves a summary that says "running"', async t => {
  const definition =
    'train: {history: history.csv, predict: id, report: r}\nscore: {input: in.csv, report: r, output: out.csv, summary: s.json}\n';
  const folder = await newFolder(t, { 'job.yaml': definition, 's.json': '"yesterday"' });
  await makeFifo(join(folder, 'history.csv')); // has no writer
  const { child, finished } = startRowcast(['run', 'job.yaml'], { cwd: folder });
  await waitForStderr(child, /training/);
  child.kill('SIGKILL');
  await finished;
  const { status, exit_code } = JSON.parse(await readFile(join(folder, 's.json'), 'utf8'));
  assert.deepEqual([status, exit_code], ['running', null]);
});

it('a definition whose output is its own history is refused before training', async t => {
  const definition =
    'train: {history: in.csv, predict: id, report: r}\nscore: {input: none.csv, report: r, output: in.csv}\n';
  const folder = await newFolder(t, { 'job.yaml': definition, 'in.csv': 'id\n1\n' });
  const { stderr } = await exits(
    rowcast(['run', 'job.yaml'], { cwd: folder }),
    2,
    /the output and the history are the same file/,
  );
  assert.ok(!stderr.includes('training on'));
  assert.deepEqual((await readdir(folder)).sort(), ['in.csv', 'job.yaml']);
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
