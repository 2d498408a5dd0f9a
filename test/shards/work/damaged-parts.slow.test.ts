import assert from 'node:assert/strict';
import { truncateSync } from 'node:fs';
import { open, readFile, rm, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { type Checkpoint, readCheckpoint } from '../../../src/runs/checkpoint/checkpoint.ts';
import type { RunProgress } from '../../../src/runs/observer.ts';
import { partName } from '../../../src/shards/folder/names.ts';
import { readRun } from '../../../src/shards/folder/read-run.ts';
import type { ScoredShard } from '../../../src/shards/work/score-shard.ts';
import { hardCsv } from '../../support/shards/hard-csv.ts';
import { planShards, type Sharded, workOn } from '../../support/shards/sharded.ts';

/** Small batches, with a checkpoint as often as possible. */
const values = { checkpointInterval: 0, batchRows: 200 };

const newRun = (t: TestContext): Promise<Sharded> => planShards(t, [hardCsv(1_000_000)], '.csv');

/** The part that an attempt at the only shard writes. */
const partOf = ({ shards }: Sharded, attempt: number): string =>
  join(shards.path, partName(0, attempt, '.csv'));

/** Works until the first rows of an attempt are written; returns the row from which it went on. */
async function stopEarly(sharded: Sharded): Promise<number> {
  const stop = new AbortController();
  let begun = 0;
  const observer = {
    onTake: (_: unknown, __: number, row: number) => {
      begun = row;
    },
    onProgress: (_: unknown, { rowCounts }: RunProgress) => {
      if (rowCounts.rejected > 0) stop.abort('SIGTERM');
    },
  };
  await assert.rejects(workOn(sharded, undefined, { values, observer, stop: stop.signal }), {
    name: 'Interrupted',
  });
  return begun;
}

/** Scores what is left; returns the row of the first attempt, and what the shard has come to. */
async function finish(sharded: Sharded) {
  const rows: number[] = [];
  await workOn(sharded, undefined, { observer: { onTake: (_, __, row) => rows.push(row) } });
  return { row: rows[0], scored: await scoredShard(sharded) };
}

async function scoredShard({ shards }: Sharded): Promise<Pick<ScoredShard, 'output' | 'rejects'>> {
  const result = (await readRun(shards)).results.get(0);
  assert.ok(result);
  return { output: result.output, rejects: result.rejects };
}

/** What the shard comes to if nothing happens. */
async function undisturbed(t: TestContext) {
  const sharded = await newRun(t);
  await workOn(sharded);
  return scoredShard(sharded);
}

/** The bytes that the checkpoint of a part covers; there may be more. */
async function covered(part: string): Promise<Pick<Checkpoint, 'output' | 'rejects'>> {
  const file = `${part}.checkpoint`;
  return readCheckpoint(await readFile(file, 'utf8'), file);
}

const cut = async (part: string): Promise<void> =>
  truncate(`${part}.partial`, (await covered(part)).output.bytes - 1);

const damages: Record<string, (part: string) => Promise<void>> = {
  'is shorter than its checkpoint says': cut,
  'is gone': part => rm(`${part}.partial`),
  'has a zero before the point of its checkpoint': async part => {
    const file = await open(`${part}.partial`, 'r+');
    await file.write(Buffer.alloc(1), 0, 1, (await covered(part)).output.bytes - 1);
    await file.close();
  },
  'has rejects that are shorter than its checkpoint says': async part =>
    truncate(`${part}.rejects.partial`, (await covered(part)).rejects.bytes - 1),
};

describe('a shard that another worker has begun', () => {
  it('is scored from its first row if its part is damaged', async t => {
    const wanted = await undisturbed(t);
    for (const [what, damage] of Object.entries(damages)) {
      const sharded = await newRun(t);
      await stopEarly(sharded);
      await damage(partOf(sharded, 1));
      assert.deepEqual(await finish(sharded), { row: 1, scored: wanted }, what);
    }
  });

  it('is scored on from an earlier attempt if only the last part is damaged', async t => {
    const sharded = await newRun(t);
    await stopEarly(sharded);
    const row = await stopEarly(sharded);
    assert.ok(row > 1);
    await cut(partOf(sharded, 2));
    assert.deepEqual(await finish(sharded), { row, scored: await undisturbed(t) });
  });
});

describe('a part that another program cuts while its worker writes it', () => {
  /** Cuts the part of the first attempt once, when it has some rows. */
  function cutOnce(sharded: Sharded) {
    let isCut = false;
    return (_: unknown, { rowCounts }: RunProgress): void => {
      if (isCut || rowCounts.rejected === 0) return;
      truncateSync(`${partOf(sharded, 1)}.partial`, 10);
      isCut = true;
    };
  }

  it('is not used, and the same worker scores the shard again', async t => {
    const sharded = await newRun(t);
    const failures: string[] = [];
    const onFailed = (_: unknown, { code }: { code: string }) => void failures.push(code);
    await workOn(sharded, undefined, { values, observer: { onFailed, onProgress: cutOnce(sharded) } });
    assert.match(failures.join(), /^(partial_too_short|partial_damaged|output_lost)$/);
    assert.equal((await readRun(sharded.shards)).results.get(0)?.attempt, 2);
    assert.deepEqual(await scoredShard(sharded), await undisturbed(t));
  });

  it('stops a worker that was asked for its shard, and the same command scores it again', async t => {
    const sharded = await newRun(t);
    await assert.rejects(workOn(sharded, [0], { values, observer: { onProgress: cutOnce(sharded) } }), {
      severity: 'stopped',
      hint: /run the same command again/,
    });
    await workOn(sharded, [0]);
    assert.deepEqual(await scoredShard(sharded), await undisturbed(t));
  });
});
