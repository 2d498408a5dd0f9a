import assert from 'node:assert/strict';
import { copyFile, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { RowcastError } from '../../src/base/errors.ts';
import type { RunValues } from '../../src/base/options/values/run-values.ts';
import { connectReports } from '../../src/client/protocols/report/report-client.ts';
import { BLOCK_BYTES, PrefixDigest } from '../../src/runs/checkpoint/prefix-digest.ts';
import type { RunResult } from '../../src/runs/observer.ts';
import type { ResumePoint } from '../../src/runs/output/output.ts';
import { newFolder } from '../support/folder.ts';
import { exits, rowcast } from '../support/in-process.ts';
import { job } from '../support/scoring/job.ts';
import { score } from '../support/scoring/score.ts';
import { type Stub, type StubOptions, send, startStub } from '../support/stub/service.ts';

const ROWS = 300;
/** Wide rows, so that more was scored than the last block, which a resumed run reads again anyway. */
const input = `id,text,wide\n${Array.from({ length: ROWS }, (_, row) => `${row},row ${row},${'x'.repeat(10_000)}\n`).join('')}`;
assert.ok(input.length / 2 > BLOCK_BYTES);

/** The result of a command. */
interface Outcome {
  scored: RunResult | undefined;
  error: RowcastError | undefined;
  /** The row at which it says it resumes. */
  kept: number | undefined;
}

interface Unfinished {
  folder: string;
  stub: Stub;
  options: StubOptions;
  /** Runs the command again, with other options or another service. */
  again(options?: Partial<RunValues>, name?: string): Promise<Outcome>;
  wanted: Buffer;
}

/** A run of 300 rows in batches of 10 that the service stopped after 150. */
async function unfinished(t: TestContext): Promise<Unfinished> {
  const folder = await newFolder(t);
  const paths = { input: join(folder, 'in.csv'), output: join(folder, 'out.csv') };
  await writeFile(paths.input, input);
  let isRefusing = false;
  const options: StubOptions = {
    report: { classes: ['no', 'yes'] },
    behave: ({ number, response }) => {
      if (!isRefusing || number <= 15) return false;
      send(response, 401, { code: 'enough' });
      return true;
    },
  };
  const stub = await startStub(t, options);
  const again: Unfinished['again'] = async (more, name = 'stub') => {
    const outcome: Outcome = { scored: undefined, error: undefined, kept: undefined };
    const client = connectReports({ url: new URL(stub.url), key: stub.key, name, concurrency: 1 });
    const onKept = ({ row }: ResumePoint): void => {
      outcome.kept = row;
    };
    try {
      outcome.scored = await score(job({ ...paths, batchRows: 10, ...more }), client, { suspended: onKept });
    } catch (error) {
      assert.ok(error instanceof RowcastError, String(error));
      outcome.error = error;
    } finally {
      await client.close();
    }
    return outcome;
  };
  await again();
  const wanted = await readFile(paths.output);
  await rm(paths.output);
  isRefusing = true;
  stub.bodies.length = 0;
  const stopped = await again();
  assert.equal(stopped.error?.severity, 'stopped');
  assert.equal(stopped.kept, 151);
  assert.deepEqual((await readdir(folder)).sort(), ['in.csv', 'out.csv.checkpoint', 'out.csv.partial']);
  isRefusing = false;
  return { folder, stub, options, again, wanted };
}

/** Asserts that nothing was done or lost: the original command can still resume. */
async function assertRefused(
  run: Unfinished,
  { error, kept }: Outcome,
  says: RegExp,
  undo: () => Promise<unknown> = async () => {},
): Promise<void> {
  assert.equal(error?.severity, 'refused', error?.message);
  assert.match(error.message, says);
  assert.match(error.hint ?? '', /--restart/);
  assert.equal(kept, undefined);
  await undo();
  await assertGoesOn(run);
}

async function assertGoesOn({ again, folder, wanted }: Unfinished, options = {}): Promise<void> {
  const { scored, error } = await again(options);
  assert.equal(error, undefined);
  assert.equal(scored?.resumedFrom, 151);
  assert.deepEqual(await readFile(join(folder, 'out.csv')), wanted);
  assert.ok(!(await readdir(folder)).some(name => name.startsWith('out.csv.')));
}

describe('an unfinished run', { concurrency: 2 }, () => {
  // Each option that affects the output is in the fingerprint: test/runs/checkpoint/fingerprint.test.ts.
  const others: readonly { options: Partial<RunValues>; says: RegExp }[] = [
    { options: { prefix: 'p' }, says: /--prefix was not given, now it is "p"/ },
    { options: { prediction: true }, says: /--prediction was false, now it is true/ },
    {
      options: { delimiter: ';' },
      says: /was read with --delimiter ',', --quote '"', now with --delimiter ';'/,
    },
    { options: { quote: 'none' }, says: /was read with .*, now with --delimiter ',', --quote none/ },
    { options: { report: 'other' }, says: /the report was r, now it is other/ },
  ];
  for (const { options, says } of others)
    it(`is not resumed with different ${Object.keys(options)[0]}`, async t => {
      const run = await unfinished(t);
      await assertRefused(run, await run.again(options), says);
    });

  it('is not resumed with a retrained report', async t => {
    const run = await unfinished(t);
    const { report } = run.options;
    run.options.report = { ...report, drivers: [{ column: 'id', impact: 1 }] };
    const refused = await run.again();
    await assertRefused(run, refused, /the report r has changed/, async () => {
      run.options.report = { ...report };
    });
  });

  it('is resumed if the report response has a timestamp or a counter, but not with another model', async t => {
    const run = await unfinished(t);
    const { report } = run.options;
    run.options.report = {
      ...report,
      tech_specs: { served: 7 },
      served_at: '2026-01-31',
      notes: ['seen 7 times'],
    };
    await assertGoesOn(run);
    const other = await unfinished(t);
    other.options.report = { ...report, model_sha256: '0'.repeat(64) };
    const refused = await other.again();
    await assertRefused(other, refused, /the report r has changed/, async () => {
      other.options.report = { ...report };
    });
  });

  it('is not resumed with another rejects file', async t => {
    const run = await unfinished(t);
    const refused = await run.again({ rejects: join(run.folder, 'bad.csv') });
    await assertRefused(run, refused, /--rejects was not given, now it is "bad\.csv"/);
  });

  it('is not resumed with another service', async t => {
    const run = await unfinished(t);
    await assertRefused(run, await run.again({}, 'other'), /the service was stub, now it is other/);
  });

  const changes: readonly { what: string; file: string; change(text: string): string; says: RegExp }[] = [
    {
      what: 'with an input of another size',
      file: 'in.csv',
      change: text => `${text}300,more,\n`,
      says: /the input has changed since the unfinished run began: it had [\d,]+ bytes, now it has [\d,]+/,
    },
    {
      what: 'if the scored part of the input was modified',
      file: 'in.csv',
      change: text => text.replace('row 3,', 'ROW 3,'),
      says: /its first [\d,]+ bytes are not those that were scored/,
    },
    {
      what: 'if its partial file is shorter than its checkpoint requires',
      file: 'out.csv.partial',
      change: text => text.slice(0, -1),
      says: /the file has [\d,]+ of the [\d,]+ bytes that were written to it/,
    },
    {
      what: 'if its checkpoint is damaged: half of it',
      file: 'out.csv.checkpoint',
      change: text => text.slice(0, text.length / 2),
      says: /not a valid checkpoint/,
    },
    {
      what: 'if its checkpoint is damaged: empty',
      file: 'out.csv.checkpoint',
      change: () => '',
      says: /not a valid checkpoint/,
    },
    {
      what: 'if its checkpoint is of another format',
      file: 'out.csv.checkpoint',
      change: text => text.replace(/"format":\d+/, '"format":2'),
      says: /the checkpoint has format 2, but this version of rowcast can only resume format \d/,
    },
  ];
  for (const { what, file, change, says } of changes)
    it(`is not resumed ${what}`, async t => {
      const run = await unfinished(t);
      const path = join(run.folder, file);
      const whole = await readFile(path, 'utf8');
      await writeFile(path, change(whole));
      assert.equal((await run.again()).error?.severity, 'refused');
      await assertRefused(run, await run.again(), says, () => writeFile(path, whole));
    });

  it('is resumed if only the unscored part of the input was modified', async t => {
    const run = await unfinished(t);
    await writeFile(join(run.folder, 'in.csv'), input.replace('row 299,', 'ROW 299,'));
    const { scored } = await run.again();
    assert.equal(scored?.resumedFrom, 151);
    assert.match(await readFile(join(run.folder, 'out.csv'), 'utf8'), /\n299,ROW 299,/);
  });

  it('is resumed if the input was touched or moved', async t => {
    const run = await unfinished(t);
    await utimes(join(run.folder, 'in.csv'), 1, 1);
    const moved = join(run.folder, 'moved.csv');
    await copyFile(join(run.folder, 'in.csv'), moved);
    await assertGoesOn(run, { input: moved });
  });

  it('is resumed with different options that do not affect the output', async t => {
    const run = await unfinished(t);
    const options = { batchRows: 7, batchBytes: 30_000, checkpointInterval: 0 };
    await assertGoesOn(run, { ...options, maxRecordBytes: 20_000, ifExists: 'fail' });
  });

  it('is truncated to its checkpoint if its partial file is longer', async t => {
    const run = await unfinished(t);
    const path = join(run.folder, 'out.csv.partial');
    await writeFile(path, Buffer.concat([await readFile(path), Buffer.alloc(5_000_000, 'x')]));
    await assertGoesOn(run);
  });

  it('is not resumed if its checkpoint ends inside a record', async t => {
    const run = await unfinished(t);
    const path = join(run.folder, 'out.csv.checkpoint');
    const whole = await readFile(path, 'utf8');
    const { position, prefix, ...others } = JSON.parse(whole);
    const digest = new PrefixDigest();
    digest.update(Buffer.from(input).subarray(0, prefix.offset - 1));
    const inside = {
      ...others,
      position: { ...position, offset: position.offset - 1 },
      prefix: digest.state(),
    };
    await writeFile(path, JSON.stringify(inside));
    const refused = await run.again();
    assert.deepEqual(
      [refused.error?.code, refused.error?.location],
      ['bad_checkpoint', { file: join(run.folder, 'in.csv'), row: 151 }],
    );
    await assertRefused(run, refused, /position, \d+, is inside a record/, () => writeFile(path, whole));
  });

  it('is discarded by --restart, whatever is wrong with it', async t => {
    const run = await unfinished(t);
    await writeFile(join(run.folder, 'out.csv.checkpoint'), '{');
    const asked = run.stub.bodies.length;
    const { scored } = await run.again({ restart: true });
    assert.deepEqual([scored?.rowCounts.read, scored?.resumedFrom], [ROWS, undefined]);
    assert.equal(run.stub.bodies.length - asked, 30);
    assert.deepEqual(await readFile(join(run.folder, 'out.csv')), run.wanted);
    assert.deepEqual((await readdir(run.folder)).sort(), ['in.csv', 'out.csv']);
  });

  it('does not request rows again that its checkpoint covers', async t => {
    const run = await unfinished(t);
    const asked = run.stub.bodies.length;
    await run.again();
    assert.equal(run.stub.bodies.length - asked, 15);
  });

  it('is refused on the command line with exit code 2, naming the differences and the remedy', async t => {
    const { folder, stub } = await unfinished(t);
    const { stderr } = await exits(
      rowcast(['score', 'in.csv', '--report', 'r', '-o', 'out.csv', '--url', stub.url, '--prefix', 'p'], {
        cwd: folder,
        env: { ROWCAST_API_KEY: stub.key },
      }),
      2,
      /out\.csv: an unfinished run of a different command exists \(.*--prefix was not given/,
      /or --restart, which discards it/,
    );
    assert.ok(!stderr.includes(stub.key));
  });
});
