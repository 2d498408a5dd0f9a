import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, describe, it, type TestContext } from 'node:test';
import { bundled } from '../../support/bundled.ts';
import { newFolder } from '../../support/folder.ts';
import { isFull, seed } from '../../support/random-tests.ts';
import { root } from '../../support/root.ts';
import { job } from '../../support/scoring/job.ts';
import { score } from '../../support/scoring/score.ts';
import { slow } from '../../support/slow.ts';
import { checkpointOf } from '../kills/job.ts';
import { recordedFiles } from './recorded-files.ts';
import type { ScoreUntil } from './score-until.ts';
import { scoredRows } from './scored-rows.ts';

/** score-until.js, bundled because it is started for each kill. */
let script = '';

/** Scores in a separate process that may kill itself. @returns whether it did */
async function isKilled(options: ScoreUntil): Promise<boolean> {
  const child = spawn(process.execPath, [script, JSON.stringify(options)], { stdio: 'inherit' });
  const [code, signal] = await once(child, 'exit');
  if (signal === null) assert.equal(code, 0);
  return signal === 'SIGKILL';
}

/**
 * Kills a run before its first file operation, its second, and so on, up to its last; or only before one, selected by
 * the seed.
 *
 * @param every 3 kills it before every third one, selected by the seed, and before each of the last ones; an odd
 *   number, so that no two lanes try the same ones
 */
async function killBeforeEach(
  t: TestContext,
  name: string,
  parts: Parameters<typeof scoredRows>[1],
  every = 1,
): Promise<void> {
  const { stub, client, folder, rows, hasRejects, options } = await scoredRows(t, parts);
  const { url, key } = stub;
  const whole = join(folder, 'whole');
  await mkdir(whole);
  let operations = 0;
  const counted = recordedFiles({ before: () => operations++ });
  const { rowCounts } =
    (await score(job({ ...options, output: join(whole, name) }), client, {}, { files: counted })) ?? {};
  const wanted = await filesIn(whole);
  assert.deepEqual([...wanted.keys()], hasRejects ? [name, `${name}.rejects`] : [name]);

  const step = isFull ? every : operations;
  // Each of the last operations is tried: only renames are left then.
  const stepAfter = (operation: number): number =>
    LANES * (isFull && operation > operations - LAST ? 1 : step);
  const start = 1 + (seed % step);
  const counts = { kills: 0, resumes: 0, renames: 0 };
  /** @returns whether the run was killed, and had not ended before */
  const killBefore = async (operation: number): Promise<boolean> => {
    const own = await newFolder(t);
    const output = join(own, name);
    if (!(await isKilled({ ...options, url, key, output, before: operation }))) return false;
    counts.kills++;
    const left = await checkpointOf(output);
    const at = `killed before operation ${operation}`;
    // Under its final name, a file is either missing or complete.
    for (const [file, bytes] of await filesIn(own))
      if (wanted.has(file)) assert.deepEqual(bytes, wanted.get(file), at);
    const scored = await score(job({ ...options, output }), client);
    assert.deepEqual(await filesIn(own), wanted, at);
    assert.equal(scored?.rowCounts.read, rows, at);
    assert.deepEqual(scored.rowCounts.rejectedBy, rowCounts?.rejectedBy, at);
    assert.equal(scored?.resumedFrom, left?.position.row, at);
    if (left !== undefined) counts.resumes++;
    if (left?.state === 'complete') counts.renames++;
    return true;
  };
  let ended = Number.POSITIVE_INFINITY;
  const lane = async (first: number): Promise<void> => {
    // In full, until a run ends before it is killed: the number of operations may vary.
    for (let operation = first; isFull || operation <= operations; operation += stepAfter(operation))
      if (!(await killBefore(operation))) {
        ended = Math.min(ended, operation);
        return;
      }
  };
  await Promise.all(Array.from({ length: LANES }, (_, index) => lane(start + index * step)));
  // Runs on a busy machine have fewer operations than were counted: then the last of them have not been tried.
  for (let operation = ended - 1; isFull && counts.renames === 0 && operation > ended - 2 * LAST; operation--)
    await killBefore(operation);
  t.diagnostic(
    `${counts.kills} kills, ${counts.resumes} resumes, ${counts.renames} of them with only renames left`,
  );
  assert.ok(counts.kills > 0);
  if (isFull) assert.ok(counts.renames > 0 && counts.resumes > counts.renames);
}

/** The files of a folder, sorted by name. */
async function filesIn(folder: string): Promise<Map<string, Buffer>> {
  const files = new Map<string, Buffer>();
  for (const name of (await readdir(folder)).sort()) files.set(name, await readFile(join(folder, name)));
  return files;
}

const LANES = 2;
/** More operations than follow the complete checkpoint, and by which their number varies. */
const LAST = 12;
const few = { rows: 9, batchRows: 3 };
const renaming = 'rename out.csv.partial to out.csv';

describe('a run that is killed before any of its file operations', () => {
  before(async () => {
    script = await bundled(join(root, 'dist/test/crash/files/score-until.js'));
  });

  it('gives the same bytes', async t => killBeforeEach(t, 'out.csv', few));

  slow('gives the same bytes as gzip', async t =>
    killBeforeEach(t, 'out.csv.gz', { rows: 6000, batchRows: 750 }, 5),
  );

  slow('gives the same rejects', async t =>
    killBeforeEach(t, 'out.csv', { rows: 30, batchRows: 10, hasRejects: true }, 3),
  );

  slow('gives the same rejects next to a gzip output', async t =>
    killBeforeEach(t, 'out.csv.gz', { rows: 2500, batchRows: 320, hasRejects: true, words: 170 }, 5),
  );

  it('repeats no request if only its renames are left, whatever --if-exists is', async t => {
    const { stub, client, folder, options } = await scoredRows(t, few);
    const { url, key } = stub;
    const whole = join(folder, 'whole.csv');
    await score(job({ ...options, output: whole }), client);
    const wanted = await readFile(whole);
    const cases = (['replace', 'fail', 'skip'] as const).flatMap(ifExists => [
      { ifExists, before: renaming },
      { ifExists, after: renaming },
    ]);
    const first = seed % cases.length;
    for (const { ifExists, ...moment } of isFull ? cases : cases.slice(first, first + 1)) {
      const output = join(folder, 'out.csv');
      assert.ok(await isKilled({ ...options, url, key, output, ifExists, ...moment }));
      const asked = stub.bodies.length;
      await score(job({ ...options, output, ifExists }), client);
      assert.equal(stub.bodies.length, asked);
      assert.deepEqual(await readFile(output), wanted);
      assert.deepEqual((await readdir(folder)).sort(), ['in.csv', 'out.csv', 'whole.csv']);
      await rm(output);
    }
  });

  slow('is finished and started over if only its renames are left and the command differs', async t => {
    const { stub, client, folder, options } = await scoredRows(t, few);
    const { url, key } = stub;
    const output = join(folder, 'out.csv');
    assert.ok(await isKilled({ ...options, url, key, output, before: renaming }));
    await assert.rejects(score(job({ ...options, output, prefix: 'p', ifExists: 'fail' }), client), {
      code: 'output_exists',
    });
    assert.match(await readFile(output, 'utf8'), /,probability_yes\n/);
    const scored = await score(job({ ...options, output, prefix: 'p' }), client);
    assert.equal(scored?.resumedFrom, undefined);
    assert.match(await readFile(output, 'utf8'), /,p_yes\n/);
  });

  slow('does not mistake an older output for its own if its own was deleted', async t => {
    const { stub, client, folder, options } = await scoredRows(t, few);
    const { url, key } = stub;
    const output = join(folder, 'out.csv');
    await writeFile(output, 'an older output');
    assert.ok(await isKilled({ ...options, url, key, output, before: renaming }));
    await rm(`${output}.partial`);
    await assert.rejects(score(job({ ...options, output }), client), {
      code: 'output_lost',
      severity: 'refused',
    });
    await score(job({ ...options, output, restart: true }), client);
    assert.deepEqual((await readdir(folder)).sort(), ['in.csv', 'out.csv']);
  });
});
