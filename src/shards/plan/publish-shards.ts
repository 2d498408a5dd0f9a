import { RowcastError } from '../../base/errors.ts';
import { Interrupted, unlessStopped } from '../../base/interrupted.ts';
import type { RunValues } from '../../base/options/values/run-values.ts';
import type { InputSection } from '../../formats/format.ts';
import { readLayout } from '../../formats/formats.ts';
import type { Position } from '../../formats/records/position.ts';
import { writtenFile } from '../../runs/output/written-file.ts';
import type { Backends } from '../../storage/backends.ts';
import { codecOfName } from '../../storage/codecs/codecs.ts';
import { none } from '../../storage/codecs/none.ts';
import type { SharedFolder } from '../../storage/shared-folder.ts';
import { CANCELLED, PLAN, PLANNED, shardName } from '../folder/names.ts';
import type { PlanFile, Shard, ShardPlan } from '../folder/plan-shape.ts';
import { readPlan } from '../folder/read-run.ts';
import { cutGroups, cutRecords, PARQUET } from './cut-shards.ts';
import { openPlanned } from './make-plan.ts';

export interface PublishOptions {
  folder: SharedFolder;
  plan: ShardPlan;
  /** The options that the plan was made with. */
  options: Omit<RunValues, 'input'>;
  /** The shards that were published before. */
  published: readonly Shard[];
  /** Called for each shard, those from before included. */
  onShard?: (shard: Shard) => void;
  stop: AbortSignal;
  /** Backends of the names of the inputs, if not the default ones. */
  backends?: Backends | undefined;
}

/**
 * Divides the inputs into shards, and publishes each as soon as its end is found, so that workers need not wait for the
 * scan. What was published before is not read again.
 *
 * @returns the number of shards
 * @throws RowcastError as `openPlanned` and `cutRecords`; Interrupted
 */
export async function publishShards(options: PublishOptions): Promise<number> {
  const { folder, plan, published, onShard, stop } = options;
  let number = 0;
  for (const shard of published) {
    number++;
    onShard?.(shard);
  }
  const last = published.at(-1);
  const first = last === undefined ? 0 : last.file + (last.is_last ? 1 : 0);
  for (const [index, file] of plan.files.entries()) {
    if (index < first) continue;
    const from = last?.file === index ? last.to : null;
    for await (const part of partsOf(options, file, from)) {
      const shard = { shard: number, file: index, ...part };
      // Another planner of the same plan publishes the same.
      await folder.create(shardName(number), JSON.stringify(shard));
      number++;
      onShard?.(shard);
    }
  }
  if (stop.aborted) throw new Interrupted(stop);
  await folder.create(PLANNED, JSON.stringify({ shards: number }));
  return number;
}

/** @param from where the last published shard ended; null: none was */
async function* partsOf(
  { plan, options, stop, backends }: PublishOptions,
  file: PlanFile,
  from: Position | null,
): AsyncGenerator<Omit<Shard, 'shard' | 'file'>> {
  const source = await openPlanned(file, options.encoding, backends, stop);
  try {
    if (whyOneShard(file, options.encoding) !== undefined) {
      yield { from: null, to: null, is_last: true };
      return;
    }
    const writes = writtenFile({ ...options, output: file.output });
    // Whether it can be read was found out when the plan was made.
    const read = { ...options, writes, maxGroupBytes: Number.POSITIVE_INFINITY };
    const opened = await unlessStopped(readLayout(source, read), stop);
    const { layout, sections } = opened;
    if (sections !== undefined) {
      yield* partsOfGroups(sections(), from, { shardBytes: plan.shard_bytes, limit: options.limit });
      return;
    }
    let begin = from ?? layout.start;
    let { rest } = opened;
    if (from !== null) {
      source.seek(from.offset);
      rest = Buffer.alloc(0);
    }
    const { maxRecordBytes, limit } = options;
    const cuts = cutRecords({
      source,
      layout,
      groupRows: layout.groups !== undefined && 'rows' in layout.groups ? layout.groups.rows : undefined,
      rest,
      start: begin,
      shardBytes: plan.shard_bytes,
      maxRecordBytes,
      limit,
      stop,
    });
    for (;;) {
      const { value, done } = await cuts.next();
      if (stop.aborted) throw new Interrupted(stop);
      yield { from: begin, to: value, is_last: done === true };
      if (done) return;
      begin = value;
    }
  } finally {
    source.close();
  }
}

/** @param from where the last published shard ended; null: none was */
function* partsOfGroups(
  sections: readonly InputSection[],
  from: Position | null,
  options: Parameters<typeof cutGroups>[1],
): Generator<Omit<Shard, 'shard' | 'file'>> {
  const cuts = cutGroups(sections, options);
  for (const [index, to] of cuts.entries()) {
    const begin = cuts[index - 1];
    if (begin === undefined || (from !== null && begin.offset < from.offset)) continue;
    yield { from: begin, to, is_last: index === cuts.length - 1 };
  }
}

/** Why an input cannot be divided; undefined if it can. */
export function whyOneShard(
  { codec, output, may_join_lines: mayJoinLines }: PlanFile,
  encoding: string | undefined,
): string | undefined {
  if (codec === PARQUET) {
    const { name } = codecOfName(output);
    // Where a member ends depends on the text of all groups before it.
    return name === none.name ? undefined : `its text is compressed with ${name}`;
  }
  if (codec !== none.name) return `compressed with ${codec}`;
  if (encoding !== undefined) return `in ${encoding}`;
  // A rejected record may take the line ending of the next one with it: see `mayJoinLines`.
  return mayJoinLines ? 'its records end in CR' : undefined;
}

/**
 * Writes a plan, or resumes the same one, even if it was cancelled. One that had nothing to score is replaced.
 *
 * @throws RowcastError `other_work` if the folder has another plan
 */
export async function startPlan(folder: SharedFolder, plan: ShardPlan): Promise<void> {
  await folder.prepare();
  const text = JSON.stringify(plan);
  if (await folder.create(PLAN, text)) return;
  const other = await readPlan(folder);
  const isResumed = other.id === plan.id;
  if (!isResumed && other.files.length > 0)
    throw new RowcastError(
      'other_work',
      `an unfinished run of different work is in this folder (${differencesOf(other, plan).join(', ')} differ)`,
      {
        location: { file: folder.path },
        hint: 'Finish it with the command that began it, or discard it: rowcast abort DIR.',
      },
    );
  // Before the plan: the number of its shards is not yet known.
  if (!isResumed) await folder.remove(PLANNED);
  await folder.replace(PLAN, isResumed ? JSON.stringify({ ...plan, trace: other.trace }) : text);
  await folder.remove(CANCELLED);
}

/** The members of two plans that differ. */
const differencesOf = (a: ShardPlan, b: ShardPlan): string[] =>
  Object.entries({
    'rowcast version': [a.version, b.version],
    'the service': [a.service, b.service],
    'the protocol': [a.protocol, b.protocol],
    'the report': [a.report, b.report],
    'the inputs or outputs': [a.files, b.files],
    '--shard-bytes': [a.shard_bytes, b.shard_bytes],
    'the options': [
      [a.options, a.predictionType],
      [b.options, b.predictionType],
    ],
  })
    .filter(([, [before, now]]) => JSON.stringify(before) !== JSON.stringify(now))
    .map(([what]) => what);
