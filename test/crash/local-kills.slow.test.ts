import assert from 'node:assert/strict';
import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { random } from '../../fixtures/random.ts';
import { runFilesOf } from '../../src/runs/paths/run-files.ts';
import { newFolder } from '../support/folder.ts';
import { exits, rowcast } from '../support/in-process.ts';
import { isFull, seed } from '../support/random-tests.ts';
import { startRowcast } from '../support/rowcast.ts';
import { trainedHome } from '../support/service/serving.ts';
import { manyRows } from './many-rows.ts';

/** LOCAL_KILLS=200 makes more. */
const KILLS = Number(process.env.LOCAL_KILLS ?? (isFull ? 10 : 4));
const ROWS = 30_000;
/** No run is killed more often before it may finish. */
const MAX_KILLS = 5;

const CHOSEN = '--keep customer,plan --decimals 3 --no-output-header --encoding windows-1252'.split(' ');

for (const [name, threads, more] of [
  ['out.csv', '1', []],
  ['out.csv', '3', []],
  ['out.csv.gz', '2', []],
  ['out.csv', '2', CHOSEN],
] as const)
  it(`${name} has the same bytes after kills as without one, with ${threads} threads ${more.join(' ')}`, async t => {
    const folder = await newFolder(t, { 'in.csv': manyRows(ROWS) });
    const env = { ROWCAST_HOME: await trainedHome() };
    const input = join(folder, 'in.csv');
    const output = join(folder, name);
    const args = ['score', input, '--report', 'one', '-o', output, '--checkpoint-interval', '0'];
    args.push('--threads', threads, '--batch-rows', '300', ...more);
    await exits(rowcast(args, { env }), 1);
    const { size } = await stat(output);
    const expected = [await bytesOf(output), await readFile(`${output}.rejects`)];
    await Promise.all([rm(output), rm(`${output}.rejects`)]);

    const { unit } = random(seed + threads.length);
    let [kills, resumed, ofThisRun] = [0, 0, 0];
    while (kills < KILLS) {
      const { child, finished } = startRowcast(args, { env });
      if (ofThisRun < MAX_KILLS) await Promise.race([finished, hasWritten(output, unit() * size)]);
      else await finished;
      child.kill('SIGKILL');
      const { code, stderr } = await finished;
      if (/resuming at row/.test(stderr)) resumed++;
      if (code === null) {
        kills++;
        ofThisRun++;
        continue;
      }
      assert.equal(code, 1, stderr);
      assert.deepEqual([await bytesOf(output), await readFile(`${output}.rejects`)], expected);
      await Promise.all([rm(output), rm(`${output}.rejects`)]);
      ofThisRun = 0;
    }
    // The last one may finish.
    if (await stat(`${output}.checkpoint`).catch(() => undefined)) resumed++;
    await exits(rowcast(args, { env }), 1);
    assert.deepEqual([await bytesOf(output), await readFile(`${output}.rejects`)], expected);
    assert.deepEqual((await readdir(folder)).sort(), ['in.csv', name, `${name}.rejects`]);
    t.diagnostic(`${kills} kills, ${resumed} resumes`);
    assert.ok(resumed > 0);
  });

/** Waits until an unfinished output has this many bytes. */
async function hasWritten(output: string, bytes: number): Promise<void> {
  const { partial } = runFilesOf(output);
  for (;;) {
    const { size } = await stat(partial).catch(() => ({ size: 0 }));
    if (size >= bytes) return;
    await delay(1);
  }
}

/** A compressed output is compared as it is, and must be intact. */
async function bytesOf(output: string): Promise<Buffer> {
  const bytes = await readFile(output);
  if (output.endsWith('.gz')) gunzipSync(bytes);
  return bytes;
}
