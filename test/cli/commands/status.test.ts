import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { appendFile, mkdir, readdir, rm, watch } from 'node:fs/promises';
import { hostname } from 'node:os';
import { describe, it, type TestContext } from 'node:test';
import { describeStatus } from '../../../src/cli/terminal/status-text.ts';
import { firstAttempt } from '../../../src/runs/attempt.ts';
import { type Checkpoint, checkpointShape } from '../../../src/runs/checkpoint/checkpoint.ts';
import type { Status } from '../../../src/runs/status/status.ts';
import type { StatusReport } from '../../../src/runs/status/status-report.ts';
import { commandsIn } from '../../support/cli/commands.ts';
import { exits } from '../../support/in-process.ts';
import { all, csv, filesWith } from '../../support/scoring/files.ts';
import { slow } from '../../support/slow.ts';
import { type StubOptions, startStub } from '../../support/stub/service.ts';

/** A folder with files, and commands that ask a service; `status` is what a command prints, and its exit code. */
async function bench(t: TestContext, files: Record<string, string>, options: StubOptions = {}) {
  const stub = await startStub(t, { report: { classes: ['no', 'yes'] }, ...options });
  const commands = await commandsIn(t, files, stub.env);
  const status = async (of: string): Promise<string> => {
    const { code, stdout } = await commands.run(`status ${of}`);
    return `${code} ${stdout}`;
  };
  return { ...commands, stub, status, json: (of: string) => commands.json(`status ${of} --json`) };
}

const hundred = `id,note\n${Array.from({ length: 100 }, (_, index) => `${index},x\n`).join('')}`;
const slowly = '--batch-rows 10 --concurrency 1 --checkpoint-interval 0';

describe('rowcast status', () => {
  it('distinguishes a run that is running, was killed, or has finished', { timeout: 60_000 }, async t => {
    let isHeld = true;
    const { cwd, stub, run, start, status, json, jsonIn } = await bench(
      t,
      { 'in.csv': hundred },
      { behave: ({ number }) => isHeld && number >= 5 },
    );
    const score = `score in.csv --report r -o out.csv --prefix p ${slowly}`;
    const isSaved = appears(cwd, 'out.csv.checkpoint');
    const { child, finished } = start(score);
    await isSaved;
    const alive = await status('out.csv');
    const now = await json('out.csv');
    assert.deepEqual([now.state, now.alive, now.pid, now.host], ['running', true, child.pid, hostname()]);
    assert.ok(now.eta_seconds > 0);
    assert.match(
      await status('.'),
      /^75 \.: 1 run: 1 running\n\n {2}out\.csv {2}running {2}\d+% {2}\d+ rows {2}[\d,]+ rows\/s {2}about \d+ (s|min) left\n$/,
    );
    assert.match(alive, /^75 out\.csv: running\n/);
    assert.match(alive, new RegExp(`run +running \\(process ${child.pid}\\)\n`));

    child.kill('SIGKILL');
    await finished;
    const { position, rowCounts }: Checkpoint = await jsonIn('out.csv.checkpoint');
    assert.ok(position.row <= 41, `${position.row}`);
    const { stdout, stderr } = await exits(run('status out.csv'), 3);
    assert.equal(stderr, '');
    const share = Math.floor((100 * position.offset) / 498);
    for (const says of [
      `^out\\.csv: stopped; rerunning the command resumes at row ${position.row}\n`,
      'run +not running\n',
      'input +\\S+in\\.csv, plain, 498 bytes\n',
      `next +row ${position.row}, line ${position.row + 1}, ${share}% of the input\n`,
      `rows +${position.row - 1} scored, 0 blank lines\n`,
      `batches +${rowCounts.batches}\n`,
      'classes +no, yes\n',
      `report +r, ${stub.url}\n`,
      'options +--prefix "p"\n',
    ])
      assert.match(stdout, new RegExp(says));

    const { checkpoint_at, ...report } = await json('out.csv');
    assert.deepEqual(
      [report.state, report.alive, report.pid, report.output],
      ['stopped', false, null, 'out.csv'],
    );
    assert.match(report.run_id, /^[\da-f-]{36}$/);
    assert.deepEqual([report.attempts, report.service, report.report], [1, stub.url, 'r']);
    assert.equal(report.fraction, position.offset / 498);
    assert.equal(report.rows.read, rowCounts.read);
    assert.ok(Date.parse(checkpoint_at));
    assert.ok(report.rows_per_second > 0);

    isHeld = false;
    await exits(run(score), 0);
    const end = /^0 out\.csv: finished, [\d,]+ bytes, written .*Z, \d+ (s|min) ago\n$/;
    assert.match(await status('out.csv'), end);
    const { state, alive: isAlive, fraction } = await json('out.csv');
    assert.deepEqual([state, isAlive, fraction], ['finished', false, 1]);
  });

  it('leaves nothing of a killed run once rowcast abort has discarded it', async t => {
    const { cwd, path, run, start } = await bench(
      t,
      { 'in.csv': hundred },
      { behave: ({ number }) => number >= 5 },
    );
    const isSaved = appears(cwd, 'out.csv.checkpoint');
    await mkdir(path('of'));
    const files = '-o out.csv --rejects of/rejected.csv --summary of/summary.json';
    const { child, finished } = start(`score in.csv --report r ${files} ${slowly}`);
    await isSaved;
    child.kill('SIGKILL');
    await finished;
    await exits(run('abort out.csv'), 0);
    // The summary says that the run was running.
    assert.deepEqual((await readdir(cwd, { recursive: true })).sort(), ['in.csv', 'of', 'of/summary.json']);
  });

  it('leaves a checkpoint that is damaged to the command that scores again, which abort names', async t => {
    const files = { 'out.csv.checkpoint': 'x', 'out.csv.partial': 'x' };
    const { cwd, run } = await commandsIn(t, files);
    const says = /\[bad_checkpoint\]\n {2}Run the command that scores it again, with --restart\./;
    await exits(run('abort out.csv'), 2, says);
    assert.deepEqual((await readdir(cwd)).sort(), Object.keys(files));
  });

  it('says what a run needs that a limit stopped, until it has it', async t => {
    const rows = `id,note\n${'1,x\n'.repeat(40)}1\n2,x\n3\n4,x\n`;
    const { path, run, write, status, json } = await bench(t, { 'in.csv': rows });
    const score = 'score in.csv --report r -o out.csv --batch-rows 10 --max-rejects';
    for (let times = 0; times < 2; times++) {
      await exits(run(`${score} 1`), 3);
      assert.match(
        await status('out.csv'),
        /^3 out\.csv: stopped: 2 of 44 rows were rejected: 2 × too_few_fields \[too_many_rejects\]; the same command would stop again\. .* with a higher --max-rejects\.\n/,
      );
      assert.equal((await json('out.csv')).error.code, 'too_many_rejects');
      assert.match(await status('.'), /\[too_many_rejects\]/);
    }
    await appendFile(path('in.csv'), '5,x\n');
    assert.match(await status('out.csv'), /^3 out\.csv: stopped; the input has changed since/);
    await write('in.csv', rows);
    await exits(run(`${score} 2`), 1);
    assert.match(await status('out.csv'), /^0 out\.csv: finished/);
  });

  it('describes all runs of a folder, and lists those that are not finished', async t => {
    const { run, status, json } = await bench(t, {
      'a.csv': 'id\n1\n2\n',
      'b.csv': 'id\n1\n2\n',
      'c.csv': 'id\n1\n2\n"',
    });
    await exits(run('score *.csv -o scored/{name}.csv --report r --batch-rows 1'), 3);
    assert.match(
      await status('scored'),
      /^3 scored: 3 runs: 2 finished, 1 stopped\n\n {2}scored\/c\.csv {2}stopped {2}\d+% {2}\d rows {2}c\.csv: the quote that opens .* \[unclosed_quote\]\n$/,
    );
    const { state, runs } = await json('scored');
    assert.equal(state, 'stopped');
    assert.deepEqual(
      runs.map((run: StatusReport) => [run.output, run.state]),
      ['a', 'b', 'c'].map(name => [`scored/${name}.csv`, name === 'c' ? 'stopped' : 'finished']),
    );
  });

  it('says that files wait for their turn while a command is at others', async t => {
    const requests = new EventEmitter();
    const isHeld = once(requests, 'held');
    const behave = () => requests.emit('held'); // without a response
    const one = 'id\n1\n';
    const { start, status } = await bench(t, { 'a.csv': one, 'b.csv': one, 'c.csv': one }, { behave });
    const { child, finished } = start('score *.csv -o out/{name}.csv --report r --jobs 1');
    await isHeld;
    assert.match(await status('out'), /^75 out: 3 runs: 1 running, 2 waiting\n.*out\/b\.csv +waiting/s);
    child.kill('SIGKILL');
    await finished;
    assert.match(await status('out'), /^3 out: 3 runs: 3 stopped\n/);
  });

  it('knows the files of a folder that were not scored and have left nothing, until they are', async t => {
    const files = { 'in/a.csv': csv(2), 'in/b.csv': 'x\n1\n', 'in/c.csv': csv(2) };
    const { score, write, run } = await filesWith(t, files);
    await exits(score(all), 3);
    const { stdout } = await exits(run('status out'), 3);
    assert.match(
      stdout,
      /^out: 3 runs: 2 finished, 1 stopped\n\n {2}out\/b\.csv {2}stopped {2}no rows yet {2}in\/b\.csv: .* \[missing_columns\]\n$/,
    );
    await write('in/b.csv', csv(1));
    await exits(score('in/b.csv -o out/b.csv'), 0);
    const { stdout: after } = await exits(run('status out'), 0);
    assert.match(after, /^out: 3 runs: 3 finished\n$|^out: 2 runs: 2 finished\n$/);
  });

  slow('says of a finished output whose rejects are gone that it is scored again', async t => {
    const files = { 'in/a.csv': csv(2), 'in/b.csv': `${csv(2)}\n1,2,3,4,5\n` };
    const { score, run, path } = await filesWith(t, files);
    const status = async (of: string): Promise<string> => (await exits(run(`status ${of}`), 0)).stdout;
    await exits(score(all), 1);
    assert.equal(await status('out'), 'out: 2 runs: 2 finished\n');
    await rm(path('out/b.csv.rejects'));
    assert.match(
      await status('out/b.csv'),
      /^out\/b\.csv: finished, .*; its rejects file out\/b\.csv\.rejects is gone, so the next command for its folder scores it again\n$/,
    );
    assert.equal(
      await status('out'),
      'out: 2 runs: 2 finished\n\n  out/b.csv  finished  100%  its rejects file out/b.csv.rejects is gone, so it is scored again\n',
    );
    assert.match((await score(all)).stderr, /1 scored/);
    assert.equal(await status('out'), 'out: 2 runs: 2 finished\n');
  });

  it('with --watch looks again until the run has ended', { timeout: 60_000 }, async t => {
    let isHeld = true;
    const { cwd, start } = await bench(t, { 'in.csv': 'id\n1\n' }, { behave: () => isHeld });
    const isLocked = appears(cwd, 'out.csv.lock');
    const { finished } = start('score in.csv --report r -o out.csv --timeout 0.5');
    await isLocked;
    const watching = start('status out.csv --watch');
    await once(watching.child.stdout, 'data');
    isHeld = false;
    await exits(finished, 0);
    const { stdout } = await exits(watching.finished, 0);
    assert.match(stdout.toString(), /^out\.csv: running [\s\S]*\nout\.csv: finished, .*\n$/);
  });

  it('fails if it cannot determine the status', async t => {
    const { path, run } = await commandsIn(t, { 'bad.csv.checkpoint': '{"format": 9}' });
    await mkdir(path('empty'));
    for (const [output, says] of [
      ['none.csv', /^rowcast: none\.csv: there is no output and no unfinished run/],
      [
        'bad.csv',
        /bad\.csv\.checkpoint: the checkpoint has format 9, but this version of rowcast can only resume format 1/,
      ],
      ['-', /only a run that writes to a file has a checkpoint/],
      ['empty', /empty: there is no output and no unfinished run/],
    ] as const)
      assert.equal((await exits(run(`status ${output}`), 2, says)).stdout, '');
  });
});

describe('a status as text', () => {
  const now = new Date('2030-01-02T03:04:05Z');
  const checkpoint: Checkpoint = checkpointShape.parse({
    format: 1,
    state: 'running',
    attempt: firstAttempt(new Date('2030-01-02T02:59:00Z')),
    fingerprint: {
      input: { path: '/data/in.csv', size: 8000, modified: 1, codec: 'none' },
      format: 'csv',
      readAs: { delimiter: ';', quote: '"', loneCr: false },
      service: 'https://predictions.example',
      report: { id: 'churn', hash: 'x' },
      options: { '--prediction': 'false', '--nulls': '["-"]', '--limit': '9000', '--delimiter': '";"' },
    },
    position: { offset: 2000, row: 1235, line: 1300 },
    prefix: { offset: 2000, blocks: '', digest: '' },
    output: { bytes: 900, uncompressed: 3000, tail: '' },
    rejects: { bytes: 0, tail: '' },
    predictionType: { kind: 'distribution', classes: ['no', 'yes\u001b'] },
    rowCounts: {
      read: 1234,
      scored: 1230,
      rejected: 4,
      rejectedBy: { too_few_fields: 3, odd: 1 },
      blank: 64,
      batches: 3,
      calls: 7,
      retries: { busy: 3, timeout: 1 },
      bytesIn: 2000,
      bytesOut: 3000,
    },
  });
  const saved = { checkpoint, text: '', modified: new Date('2030-01-02T03:00:00Z') };
  const nothing: Status = { saved: undefined, run: undefined, partialBytes: undefined, finished: undefined };
  const linesOf = (status: Partial<Status>): string[] =>
    describeStatus('out.csv', { ...nothing, ...status }, { now }).split('\n');

  it('shows everything in a checkpoint, and the options that are not defaults', () => {
    const finished = { bytes: 1, modified: now };
    assert.deepEqual(linesOf({ saved, partialBytes: 1000, run: { pid: 12 }, finished }), [
      'out.csv: running',
      '',
      `  run id        ${checkpoint.attempt.runId}`,
      '  rate          21 rows/s, about 3 min left',
      '  checkpoint    written 2030-01-02T03:00:00Z, 4 min ago',
      '  run           running (process 12)',
      '  input         /data/in.csv, plain, 8,000 bytes',
      "  dialect       --delimiter ';', --quote '\"'",
      '  next          row 1,235, line 1,300, 25% of the input',
      '  rows          1,230 scored, 4 rejected (too_few_fields 3, odd 1), 64 blank lines',
      '  batches       3',
      '  requests      7, 4 retried (busy 3, timeout 1)',
      '  written       900 bytes, 3,000 bytes before compression',
      '  partial file  1,000 bytes, the previous output is kept until the run finishes',
      '  classes       no, yes',
      '  report        churn, https://predictions.example',
      '  options       --nulls ["-"], --limit 9000, --delimiter ";"',
      '',
    ]);
  });

  it('shows how much of a compressed output is in the checkpoint', () => {
    const output = { ...checkpoint.output, open: Buffer.alloc(1200) };
    const lines = linesOf({ saved: { ...saved, checkpoint: { ...checkpoint, output } } });
    const written = '900 bytes, 3,000 bytes before compression, 1,200 bytes of them in the checkpoint';
    assert.ok(lines.includes(`  written       ${written}`));
  });

  it('shows no percentage if the size of the input is unknown or is a compressed size', () => {
    for (const input of [
      { path: 'stdin', size: null, modified: null, codec: 'none' },
      { path: '/data/in.csv.gz', size: 8000, modified: 1, codec: 'gzip' },
    ]) {
      const other = { ...checkpoint, fingerprint: { ...checkpoint.fingerprint, input } };
      const lines = linesOf({ saved: { ...saved, checkpoint: other } });
      assert.ok(lines.includes('  next          row 1,235, line 1,300'));
    }
  });

  it('says what rerunning the command would do', () => {
    const complete = { ...saved, checkpoint: { ...checkpoint, state: 'complete' as const } };
    const firstOf = (status: Partial<Status>): string => linesOf(status)[0] ?? '';
    assert.equal(firstOf({ saved }), 'out.csv: stopped; rerunning the command resumes at row 1,235');
    assert.equal(
      firstOf({ saved: complete }),
      'out.csv: complete, but not moved into place; rerunning the command does that',
    );
    assert.equal(
      firstOf({ saved: complete, run: { pid: undefined } }),
      'out.csv: complete, being moved into place',
    );
    assert.equal(firstOf({ run: { pid: 12 } }), 'out.csv: running (process 12), no checkpoint yet');
    assert.equal(
      firstOf({ partialBytes: 5 }),
      'out.csv: interrupted before the first checkpoint; rerunning starts from the first row',
    );
  });
});

/** Waits until a file exists in a folder. */
async function appears(folder: string, file: string): Promise<void> {
  for await (const { filename } of watch(folder)) if (filename === file) return;
}
