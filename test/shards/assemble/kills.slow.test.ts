import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { newFolder } from '../../support/folder.ts';
import { parquetOf } from '../../support/parquet.ts';
import { isFull, seed } from '../../support/random-tests.ts';
import { root } from '../../support/root.ts';
import { assembleHere } from '../../support/shards/assemble-here.ts';
import { hardCsv } from '../../support/shards/hard-csv.ts';
import { largeRows } from '../../support/shards/large-rows.ts';
import { bytesOf, planShards, run, scoreArguments, workOn } from '../../support/shards/sharded.ts';
import type { AssembleUntil } from './assemble-until.ts';

const script = join(root, 'dist/test/shards/assemble/assemble-until.js');

/** Assembles in a process of its own. @returns the number of file operations; undefined if it was killed */
async function operationsOf(options: AssembleUntil): Promise<number | undefined> {
  const child = spawn(process.execPath, [script, JSON.stringify(options)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout.on('data', chunk => {
    said += chunk;
  });
  const [code, signal] = await once(child, 'close');
  if (signal === 'SIGKILL') return undefined;
  assert.equal(code, 0);
  return Number(said);
}

/** ASSEMBLE_KILLS=1000 kills before each operation. */
const KILLS = Number(process.env.ASSEMBLE_KILLS ?? (isFull ? 5 : 3));

/** @param parquet an input, in the place of a CSV with rejects */
async function killBeforeEach(
  t: TestContext,
  suffix: string,
  hasTwoDisks: boolean,
  parquet?: Buffer,
): Promise<void> {
  const sharded = await planShards(t, [parquet ?? hardCsv(3 << 20)], suffix, {}, parquet && '.parquet');
  const { cwd, shards, inputs } = sharded;
  await workOn(sharded);
  const single = await run(sharded, ...scoreArguments(sharded, `whole${suffix}`));
  assert.equal(single.code, parquet === undefined ? 1 : 0, single.stderr);
  const suffixes = parquet === undefined ? ['', '.rejects'] : [''];
  const bytesFor = (name: string): Promise<(Buffer | undefined)[]> =>
    Promise.all(suffixes.map(rest => bytesOf(join(cwd, name + rest))));
  const wanted = await bytesFor(`whole${suffix}`);
  const kept = join(await newFolder(t), 'kept');
  await cp(shards.path, kept, { recursive: true });

  const output = `out-0${suffix}`;
  const check = async (at: string): Promise<void> => {
    const found = await bytesFor(output);
    assert.ok(
      found.every((bytes, i) => bytes !== undefined && wanted[i]?.equals(bytes)),
      at,
    );
    const files = [output, `whole${suffix}`].flatMap(name => suffixes.map(rest => name + rest));
    assert.deepEqual((await readdir(cwd)).sort(), [inputs[0], ...files].sort(), at);
    for (const rest of suffixes) await rm(join(cwd, output + rest));
    await cp(kept, shards.path, { recursive: true });
  };
  const { path } = shards;
  const operations = (await operationsOf({ path, hasTwoDisks })) ?? 0;
  await check('not killed');
  const step = Math.ceil(operations / KILLS);
  for (let before = 1 + (seed % step); before <= operations; before += step) {
    assert.equal(await operationsOf({ path, before, hasTwoDisks }), undefined, `operation ${before}`);
    // Killed again while it resumes, a little later.
    const isFinished = (await operationsOf({ path, before: 2 + (before % 7), hasTwoDisks })) !== undefined;
    if (!isFinished) await assembleHere(path);
    await check(`killed before operation ${before}`);
  }
  t.diagnostic(`${operations} operations`);
}

describe('assembling that is killed before one of its file operations', () => {
  it('gives the same bytes', t => killBeforeEach(t, '.csv', false));

  it('gives the same bytes if the parts are on another disk', t => killBeforeEach(t, '.csv', true));

  it('gives the same Parquet, whose end is that of no part', async t =>
    killBeforeEach(t, '.parquet', false, await parquetOf(largeRows(8_000), { groupRows: 1_000 })));

  it('gives the same gzip members', t => killBeforeEach(t, '.csv.gz', false));
});
