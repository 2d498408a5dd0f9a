import { RowcastError } from '../../base/errors.ts';
import type { SharedFolder } from '../../storage/shared-folder.ts';
import { doneName, failedName, numbersOf } from './names.ts';
import type { Shard, ShardPlan } from './plan-shape.ts';
import { plannedShards, readPlan, readShards } from './read-plan.ts';
import { readRecord } from './read-record.ts';
import { failureShape, resultShape, type ShardFailure, type ShardResult } from './result-shape.ts';

/** A sharded run, as its folder has it. */
export interface ShardedRun {
  folder: SharedFolder;
  plan: ShardPlan;
  /** The shards that are published so far, in order. */
  shards: readonly Shard[];
  /** Whether all are published. */
  isPlanned: boolean;
  /** By number of the shard. */
  results: ReadonlyMap<number, ShardResult>;
  /** Shards that were given up and have no result. */
  failures: ReadonlyMap<number, ShardFailure>;
}

/**
 * Reads and checks what a sharded run has come to.
 *
 * @throws RowcastError `no_plan`, `bad_plan`
 */
export async function readRun(folder: SharedFolder): Promise<ShardedRun> {
  const plan = await readPlan(folder);
  // Before the shards: these are all there once it is.
  const planned = await plannedShards(folder);
  const shards = await readShards(folder);
  checkShards(folder, plan, shards, planned);
  const results = new Map<number, ShardResult>();
  const failures = new Map<number, ShardFailure>();
  for (const shard of await numbersIn(folder, 'done')) {
    const result = await readRecord(folder, doneName(shard), resultShape);
    if (result === undefined) continue;
    if (result.plan !== plan.id || result.shard !== shard)
      throw damaged(folder, doneName(shard), 'the result is that of another plan or shard');
    results.set(shard, result);
  }
  for (const shard of await numbersIn(folder, 'failed')) {
    const failure = await readRecord(folder, failedName(shard), failureShape);
    if (failure !== undefined && !results.has(shard)) failures.set(shard, failure);
  }
  return { folder, plan, shards, isPlanned: planned !== undefined, results, failures };
}

const numbersIn = async (folder: SharedFolder, name: string): Promise<number[]> =>
  (await folder.list(name)).flatMap(file => numbersOf(file)?.shard ?? []);

/** The shards of an input follow each other without a gap, and those of the inputs in their order. */
function checkShards(
  folder: SharedFolder,
  { files }: ShardPlan,
  shards: readonly Shard[],
  planned: number | undefined,
): void {
  for (const [index, { shard, file, from }] of shards.entries()) {
    const before = shards[index - 1];
    const isFirst = before === undefined || before.is_last;
    const expected = (before?.file ?? -1) + (isFirst ? 1 : 0);
    const follows = isFirst || (from !== null && from.offset === before.to?.offset);
    if (shard !== index || file !== expected || !follows || files[file] === undefined)
      throw damaged(folder, 'shards', `shard ${index} is missing, or does not follow the one before it`);
  }
  const isWhole = shards.length === planned && (shards.at(-1)?.file ?? -1) === files.length - 1;
  if (planned !== undefined && !isWhole)
    throw damaged(folder, 'shards', `${planned} shards were planned, and ${shards.length} are there`);
}

const damaged = ({ path }: SharedFolder, name: string, message: string): RowcastError =>
  new RowcastError('bad_plan', message, {
    location: { file: `${path}/${name}` },
    hint: 'Discard the run with rowcast abort, and plan again.',
  });
