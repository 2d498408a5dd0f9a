import { RowcastError } from '../../base/errors.ts';
import { Interrupted } from '../../base/interrupted.ts';
import type { Attempt } from '../../runs/attempt.ts';
import { acquireDurable } from '../../runs/output/acquire-output.ts';
import type { Output } from '../../runs/output/output.ts';
import type { LockedPaths } from '../../runs/paths/lock-paths.ts';
import { type RunOutputs, runFilesOf, runOutputsOf } from '../../runs/paths/run-files.ts';
import { newRowCounts, sumOf } from '../../scoring/row-counts.ts';
import { type Backends, resolveTarget } from '../../storage/backends.ts';
import type { Files } from '../../storage/durable-files.ts';
import type { DurableOutput } from '../../storage/durable-output.ts';
import { fileIn } from '../../storage/folders.ts';
import type { SharedFolder } from '../../storage/shared-folder.ts';
import { joinedName, partName } from '../folder/names.ts';
import { isStored, partOutput } from '../folder/part-output.ts';
import type { ShardPlan } from '../folder/plan-shape.ts';
import { adoptFirst } from './adopt-first.ts';
import type { FileParts, OutputPart } from './file-parts.ts';
import { coveredParts, joinedOutput, joinFingerprint, pointAfter } from './join-state.ts';

export interface JoinOptions {
  folder: SharedFolder;
  plan: ShardPlan;
  /** Held until the output is complete. */
  locked: LockedPaths;
  /** Identifies this process, if it does not resume another one. */
  attempt: Attempt;
  /** What a rejects file of this input begins with. */
  rejectsHeader: Buffer;
  /** What the output has after the last part. */
  end: Buffer;
  private: boolean;
  files: Files;
  /** What the names of other files belong to. */
  backends: Backends;
  /** Copied parts are removed when this much was copied since the last checkpoint. */
  saveBytes: number;
  /** Called with the process that joins, which may resume another one. */
  onBegin?: (attempt: Attempt) => void;
  /** Called with the number of bytes that the output has so far. */
  onJoined?: ((bytes: number) => void) | undefined;
  stop: AbortSignal;
}

/** The default of `saveBytes`. */
export const SAVE_BYTES = 256 << 20;

const NOTHING = Buffer.alloc(0);

/**
 * Joins the parts of an output, which are all there. A part is removed once a checkpoint of the output covers it, so
 * that a killed process is resumed by the next one.
 *
 * @throws RowcastError `other_work`, `unwritable_output`, `part_lost`, `partial_damaged`; Interrupted
 */
export async function joinFile(file: FileParts, options: JoinOptions): Promise<void> {
  const { folder, plan, locked, attempt, rejectsHeader, files, backends, stop } = options;
  const output = joinedOutput(locked, files, options.private);
  const outputs = runOutputsOf(output, rejectsOf(locked, output));
  const acquire = () =>
    acquireDurable({
      outputs,
      private: options.private,
      ifExists: 'replace',
      restart: false,
      restartIfChanged: false,
      // Saved explicitly, after whole parts.
      checkpointInterval: Number.POSITIVE_INFINITY,
      isCompressed: true,
      backends,
    });
  // An earlier run may have only its renames left, or the one that joined these parts.
  await acquire();
  if (await isInPlace(folder, file, output)) return;
  const fingerprint = joinFingerprint(plan, file, locked.relativeRejects);
  const identity = { attempt, fingerprint, rejectsHeader };
  const { path } = locked.output;
  if (path !== undefined && !file.parts.some(part => isStored(part.path))) {
    const paths = runFilesOf(path, locked.rejects?.path);
    await adoptFirst({ ...options, paths, parts: file.parts, identity, predictionType: plan.predictionType });
  } else if (await joinInStore(file, outputs, options)) return;
  const acquired = await acquire();
  const joined = await acquired?.open(identity).catch(error => {
    throw withHint(error);
  });
  if (joined === undefined) return;
  options.onBegin?.(joined.attempt);
  try {
    await append(file, joined, options);
    if (stop.aborted) throw new Interrupted(stop);
    // No checkpoint covers it before the complete one.
    await joined.write({ ...PIECE, bytes: options.end }, never);
    await folder.create(joinedName(file.index), '{}');
    const { end } = file.parts.at(-1) as OutputPart; // an input has at least one shard
    await joined.finish(pointAfter({ end }, file.rowCounts, plan.predictionType));
  } catch (error) {
    await joined.suspend();
    throw withHint(error);
  }
}

/** Whether the output is complete and has its final name. */
async function isInPlace(
  folder: SharedFolder,
  { index }: Pick<FileParts, 'index'>,
  { checkpoint }: Pick<DurableOutput, 'checkpoint'>,
): Promise<boolean> {
  return (await folder.read(joinedName(index))) !== undefined && (await checkpoint.read()) === undefined;
}

/** The rejects of an output, if they are not next to it. */
function rejectsOf({ rejects }: LockedPaths, output: DurableOutput): DurableOutput | undefined {
  if (rejects?.path !== undefined) return output.at(rejects.path);
  return rejects?.durable;
}

/**
 * Lets the store join parts that are objects, so that no byte of them passes through this machine. Nothing is resumed:
 * a killed process is followed by one that begins again.
 *
 * @returns false if the store cannot do it, or an unfinished run is there, which is resumed or refused
 */
async function joinInStore(file: FileParts, outputs: RunOutputs, options: JoinOptions): Promise<boolean> {
  const { folder, locked, rejectsHeader, end, backends, onJoined } = options;
  const { output, rejects, hasDefaultRejects } = outputs;
  if ((await output.checkpoint.read()) !== undefined) return false;
  const parts = file.parts.map(({ path, result }) => ({ address: path, bytes: result.output.bytes }));
  if (output.concatenate === undefined) return false;
  if (end.length > 0) {
    const address = fileIn(folder.path, partName(file.index, 0, '.end'));
    const sink = await (await resolveTarget(address, options.private, backends)).open();
    await sink.write(end);
    await sink.close();
    parts.push({ address, bytes: end.length });
  }
  if (!(await output.concatenate(parts, onJoined))) return false;
  // The rejects of an earlier run are replaced, because nothing is removed from a store.
  const hasRejects = file.rowCounts.rejected > 0 || !hasDefaultRejects;
  if (hasRejects || (await rejects.exists())) {
    const target = locked.rejects ?? (await resolveTarget(rejects.address, options.private, backends));
    const sink = await target.open();
    try {
      await sink.write(rejectsHeader);
      for (const { path, result } of file.parts) {
        const part = runOutputsOf(await partOutput(path, backends));
        for await (const chunk of part.rejects.chunks(result.rejects, rejectsHeader.length))
          await sink.write(chunk);
      }
      await sink.close();
    } catch (error) {
      await sink.abandon();
      throw error;
    }
  }
  await folder.create(joinedName(file.index), '{}');
  return true;
}

/** Appends the parts that no checkpoint covers, and removes all of them. */
async function append({ parts }: FileParts, output: Output, options: JoinOptions): Promise<void> {
  const { plan, files, backends, rejectsHeader, saveBytes, stop } = options;
  const before = output.previous?.checkpoint.rowCounts ?? newRowCounts();
  const first = coveredParts(parts, before.bytesIn);
  let removed = 0;
  const save = async (covered: number): Promise<void> => {
    await output.save();
    for (; removed < covered; removed++) await removePart(files, parts[removed] as OutputPart);
  };
  let rowCounts = before;
  let unsaved = 0;
  for (const [i, part] of parts.entries()) {
    if (i < first) continue;
    const { result } = part;
    const header = rowCounts.rejected === 0 ? 0 : rejectsHeader.length;
    const stored = runOutputsOf(await partOutput(part.path, backends, files));
    for await (const chunk of stored.rejects.chunks(result.rejects, header))
      await output.write({ ...PIECE, rejects: chunk }, never);
    let joined = parts.slice(0, i).reduce((sum, each) => sum + each.result.output.bytes, 0);
    for await (const chunk of stored.output.chunks(result.output)) {
      if (stop.aborted) throw new Interrupted(stop);
      await output.write({ ...PIECE, bytes: chunk }, never);
      joined += chunk.length;
      options.onJoined?.(joined);
    }
    rowCounts = sumOf([rowCounts, result.rowCounts]);
    const point = pointAfter(part, rowCounts, plan.predictionType);
    await output.write({ ...PIECE, isCommitPoint: true }, () => point);
    unsaved += result.output.bytes;
    if (unsaved < saveBytes) continue;
    await save(i + 1);
    unsaved = 0;
  }
  await save(parts.length);
}

const PIECE = { bytes: NOTHING, rejects: NOTHING, endsMember: false, isCommitPoint: false };

const never = (): never => {
  throw new Error('not a commit point');
};

/** Objects are removed with their folder. */
async function removePart(files: Files, { path }: OutputPart): Promise<void> {
  if (isStored(path)) return;
  await files.remove(path);
  await files.remove(runFilesOf(path).rejects);
}

/** What to do about an output that cannot be joined; `assemble` has no --restart. */
function withHint(error: unknown): unknown {
  if (!(error instanceof RowcastError) || !error.hint?.includes('--restart')) return error;
  error.hint =
    error.code === 'other_work'
      ? 'Finish that run, or discard it with rowcast abort; then run rowcast assemble again.'
      : 'The parts that it had are lost: discard the run with rowcast abort, then plan and score again.';
  return error;
}
