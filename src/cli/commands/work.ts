import { RowcastError } from '../../base/errors.ts';
import { queueWorkOptions, workOptions } from '../../base/options/shards.ts';
import { resolveValues, type Values } from '../../base/options/values/resolve-options.ts';
import { shardsAt } from '../../library/shards/find-folder.ts';
import { ExitCode } from '../../runs/exit-code.ts';
import { shardsFailed } from '../../shards/assemble/check-complete.ts';
import { readRun } from '../../shards/folder/read-run.ts';
import { chooseQueue } from '../../shards/queue/queue-address.ts';
import { chosenShards, work } from '../../shards/work/work.ts';
import type { SharedFolder } from '../../storage/shared-folder.ts';
import type { Context } from '../context.ts';
import { tellingEnd } from '../ending/telling-end.ts';
import { joinRun } from '../shards/join-run.ts';
import { observeWork } from '../shards/observe-work.ts';
import { backendsOfFlags } from '../shards/store-flags.ts';
import { workCommandOf } from '../shards/work-command.ts';
import { untilStopped } from '../signals.ts';

/** Scores shards of a plan until none is left, or those that were asked for, or those that a queue gives out. */
export const run = (context: Context): Promise<number> => tellingEnd('work', context, runWork);

const runWork = (context: Context): Promise<number> =>
  untilStopped(
    context.log,
    { heedsParent: true, stopping: 'finishing the rows in progress (up to 10 s)' },
    stop => {
      const { flags, onOutcome } = context;
      if (flags.dir !== undefined) onOutcome?.({ folder: String(flags.dir) });
      const values = resolveValues({ ...workOptions, ...queueWorkOptions }, flags);
      return flags.dir === undefined ? runOnQueue(context, values, stop) : runOnFolder(context, values, stop);
    },
  );

type WorkValues = Values<typeof workOptions & typeof queueWorkOptions>;

async function runOnFolder(
  context: Context,
  { shard, shardsPerTask, queue, stopWhenEmpty }: WorkValues,
  stop: AbortSignal,
): Promise<number> {
  const { flags, env, log } = context;
  if (stopWhenEmpty)
    throw new RowcastError('usage', '--stop-when-empty has no effect on the shards of a folder', {
      hint: 'A worker of a folder ends when none is left.',
    });
  // The variable alone does not change what is done with a folder.
  const address = queue === undefined ? undefined : chooseQueue(queue, env.ROWCAST_QUEUE);
  if (address !== undefined && shard !== undefined) throw noShards();
  const only = address === undefined ? chosenShards(shard, shardsPerTask, env) : undefined;
  const folder = await shardsAt(String(flags.dir), backendsOfFlags(flags));
  const watched = observeWork(context);
  const observer = watched.observe(log, folder);
  try {
    const joining = { folder, observer, stop };
    const failed =
      address === undefined
        ? await joinRun(context, joining, options => work(options, only))
        : await (await import('../shards/work-queue.ts')).workOneRun(context, joining, address);
    watched.finished();
    if (failed.length > 0) throw await failureOf(context, folder, failed);
    return ExitCode.done;
  } finally {
    watched.close();
  }
}

async function failureOf(
  context: Context,
  folder: SharedFolder,
  failed: readonly number[],
): Promise<RowcastError> {
  const sharded = await readRun(folder);
  const failures = [...sharded.failures.values()].filter(each => failed.includes(each.shard));
  return shardsFailed(folder.path, failures, workCommandOf(context, sharded));
}

async function runOnQueue(
  context: Context,
  { shard, queue, stopWhenEmpty }: WorkValues,
  stop: AbortSignal,
): Promise<number> {
  const address = chooseQueue(queue, context.env.ROWCAST_QUEUE);
  if (address === undefined)
    throw new RowcastError('usage', 'whose shards? Give the folder DIR, or --queue URL', {
      hint: 'For example rowcast work /shared/scored.csv.shards, or rowcast work --queue redis://queue.internal:6379.',
    });
  if (shard !== undefined) throw noShards();
  const { workQueue } = await import('../shards/work-queue.ts');
  return workQueue(context, address, stopWhenEmpty, stop);
}

const noShards = (): RowcastError =>
  new RowcastError('usage', '--shard has no effect with a queue, which chooses the shards', {
    hint: 'For one shard: rowcast work DIR --shard I, without --queue.',
  });
