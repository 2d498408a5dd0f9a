import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { random } from '../../fixtures/random.ts';
import { runFilesOf } from '../../src/runs/paths/run-files.ts';
import { newFolder } from '../support/folder.ts';
import { isFull, seed } from '../support/random-tests.ts';
import { rowcast, spawnRowcast } from '../support/rowcast.ts';
import { csv, history } from '../support/service/history.ts';
import { trainedHome } from '../support/service/serving.ts';

/** LOCAL_KILLS=200 makes more. */
const KILLS = Number(process.env.LOCAL_KILLS ?? (isFull ? 10 : 4));
const ROWS = 60_000;
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
    const folder = await newFolder(t);
    const env = { ROWCAST_HOME: await trainedHome() };
    const input = join(folder, 'in.csv');
    const [header = [], ...rows] = history({ rows: 2000, seed });
    const many = Array.from({ length: ROWS }, (_, row) => [
      `${row}`,
      ...(rows[row % rows.length] ?? []).slice(1),
    ]);
    // Some rows are malformed.
    await writeFile(input, csv([header, ...many]).replaceAll('\n777', '\n"7"7'));
    const output = join(folder, name);
    const args = ['score', input, '--report', 'one', '-o', output, '--checkpoint-interval', '0'];
    args.push('--threads', threads, '--batch-rows', '300', ...more);
    assert.equal((await rowcast(args, { env })).code, 1);
    const { size } = await stat(output);
    const expected = [await bytesOf(output), await readFile(`${output}.rejects`)];
    await Promise.all([rm(output), rm(`${output}.rejects`)]);

    const { unit } = random(seed + threads.length);
    let [kills, resumed, ofThisRun] = [0, 0, 0];
    while (kills < KILLS) {
      const run = spawnRowcast(args, { env });
      const ended = once(run, 'exit');
      let said = '';
      run.stderr.setEncoding('utf8').on('data', (text: string) => {
        said += text;
      });
      if (ofThisRun < MAX_KILLS) await Promise.race([ended, hasWritten(output, unit() * size)]);
      else await ended;
      const hasEnded = run.exitCode !== null;
      if (!hasEnded) {
        run.kill('SIGKILL');
        await ended;
        kills++;
        ofThisRun++;
      }
      if (/resuming at row/.test(said)) resumed++;
      if (!hasEnded) continue;
      assert.equal(run.exitCode, 1, said);
      assert.deepEqual([await bytesOf(output), await readFile(`${output}.rejects`)], expected);
      await Promise.all([rm(output), rm(`${output}.rejects`)]);
      ofThisRun = 0;
    }
    // The last one may finish.
    if (await stat(`${output}.checkpoint`).catch(() => undefined)) resumed++;
    assert.equal((await rowcast(args, { env })).code, 1);
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
