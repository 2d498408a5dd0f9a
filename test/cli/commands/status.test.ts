import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, watch, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { describeStatus } from '../../../src/cli/terminal/status-text.ts';
import { type Checkpoint, checkpointShape } from '../../../src/runs/checkpoint/checkpoint.ts';
import type { Status } from '../../../src/runs/status.ts';
import { newFolder } from '../../support/folder.ts';
import { bin, rowcast } from '../../support/rowcast.ts';
import { startStub } from '../../support/stub/service.ts';

describe('rowcast status', () => {
  it('distinguishes a run that is running, was killed, or has finished', { timeout: 60_000 }, async t => {
    const cwd = await newFolder(t);
    const rows = Array.from({ length: 100 }, (_, index) => `${index},x\n`);
    await writeFile(join(cwd, 'in.csv'), `id,note\n${rows.join('')}`);
    let isHeld = true;
    const stub = await startStub({ behave: ({ number }) => isHeld && number >= 5 });
    t.after(() => stub.close());
    const env = { PATH: process.env.PATH ?? '', ROWCAST_URL: stub.url, ROWCAST_API_KEY: stub.key };
    const args = ['score', 'in.csv', '--report', 'r', '-o', 'out.csv', '--prefix', 'p'];
    const how = ['--batch-rows', '10', '--concurrency', '1', '--checkpoint-interval', '0'];

    const isSaved = appears(cwd, 'out.csv.checkpoint');
    const child = spawn(process.execPath, [bin, ...args, ...how], { cwd, env });
    await isSaved;
    const running = await rowcast(['status', 'out.csv'], { cwd });
    assert.equal(running.code, 75);
    const alive = running.stdout.toString();
    assert.match(alive, /^out\.csv: running\n/);
    assert.match(alive, new RegExp(`run +running \\(process ${child.pid}\\)\n`));

    child.kill('SIGKILL');
    await once(child, 'exit');
    const checkpoint = await readFile(join(cwd, 'out.csv.checkpoint'), 'utf8');
    const { position, accounts }: Checkpoint = JSON.parse(checkpoint);
    assert.ok(position.row <= 41, `${position.row}`);
    const { code, stdout, stderr } = await rowcast(['status', 'out.csv'], { cwd });
    assert.equal(code, 3, stderr);
    assert.equal(stderr, '');
    const text = stdout.toString();
    const share = Math.floor((100 * position.offset) / 498);
    for (const says of [
      `^out\\.csv: stopped; rerunning the command resumes at row ${position.row}\n`,
      'run +not running\n',
      'input +\\S+in\\.csv, plain, 498 bytes\n',
      `next +row ${position.row}, line ${position.row + 1}, ${share}% of the input\n`,
      `rows +${position.row - 1} scored, 0 blank lines\n`,
      `batches +${accounts.batches}\n`,
      'classes +no, yes\n',
      `report +r, ${stub.url}\n`,
      'options +--prefix "p"\n',
    ])
      assert.match(text, new RegExp(says));

    const json = await rowcast(['status', 'out.csv', '--json'], { cwd });
    assert.equal(json.stdout.toString(), `${checkpoint}\n`);

    isHeld = false;
    const again = await rowcast([...args, ...how], { cwd, env });
    assert.equal(again.code, 0, again.stderr);
    const done = await rowcast(['status', 'out.csv'], { cwd });
    assert.match(done.stdout.toString(), /^out\.csv: finished, [\d,]+ bytes, written .*Z, \d+ s ago\n$/);
    assert.equal(done.code, 0);
    assert.equal((await rowcast(['status', 'out.csv', '--json'], { cwd })).stdout.toString(), 'null\n');
  });

  it('fails if it cannot determine the status', async t => {
    const cwd = await newFolder(t);
    await writeFile(join(cwd, 'bad.csv.checkpoint'), '{"format": 9}');
    for (const [output, says] of [
      ['none.csv', /^rowcast: none\.csv: there is no output and no unfinished run/],
      [
        'bad.csv',
        /bad\.csv\.checkpoint: the checkpoint has format 9, but this version of rowcast can only resume format 2/,
      ],
      ['-', /only a run that writes to a file has a checkpoint/],
      ['.', /folder/],
    ] as const) {
      const { code, stdout, stderr } = await rowcast(['status', output], { cwd });
      assert.match(stderr, says);
      assert.deepEqual([code, stdout.length], [2, 0]);
    }
  });
});

describe('a status as text', () => {
  const now = new Date('2030-01-02T03:04:05Z');
  const checkpoint: Checkpoint = checkpointShape.parse({
    format: 2,
    state: 'running',
    fingerprint: {
      input: { path: '/data/in.csv', size: 8000, modified: 1, gzip: false },
      dialect: { delimiter: ';', quote: '"', loneCr: false },
      service: 'https://predictions.example',
      report: { id: 'churn', hash: 'x' },
      options: { '--prefix': '"probability"', '--nulls': '["-"]', '--limit': '9000', '--delimiter': '";"' },
    },
    position: { offset: 2000, row: 1235, line: 1300 },
    prefix: { offset: 2000, blocks: '', digest: '' },
    output: { bytes: 900, uncompressed: 3000, tail: '' },
    rejects: { bytes: 0, tail: '' },
    classes: ['no', 'yes\u001b'],
    accounts: {
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
    describeStatus('out.csv', { ...nothing, ...status }, now).split('\n');

  it('shows everything in a checkpoint, and the options that are not defaults', () => {
    const finished = { bytes: 1, modified: now };
    assert.deepEqual(linesOf({ saved, partialBytes: 1000, run: { pid: 12 }, finished }), [
      'out.csv: running',
      '',
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

  it('shows no percentage if the size of the input is unknown or is a compressed size', () => {
    for (const input of [
      { path: 'stdin', size: null, modified: null, gzip: false },
      { path: '/data/in.csv.gz', size: 8000, modified: 1, gzip: true },
    ]) {
      const other = { ...checkpoint, fingerprint: { ...checkpoint.fingerprint, input } };
      const lines = linesOf({ saved: { ...saved, checkpoint: other } });
      assert.equal(lines[6], '  next          row 1,235, line 1,300');
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
