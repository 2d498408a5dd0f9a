import { RowcastError } from '../../base/errors.ts';
import { type Backends, resolveTarget } from '../../storage/backends.ts';
import type { OutputState } from '../../storage/durable-output.ts';
import { type Checkpoint, readCheckpoint } from '../checkpoint/checkpoint.ts';
import { finishKilledRepair } from '../finish-repair.ts';

/** The state of an output and its run. */
export interface Status extends Pick<OutputState, 'partialBytes' | 'finished'> {
  /** The last checkpoint, if any. */
  saved: SavedCheckpoint | undefined;
  /** The run in progress, if any, with its process and machine if known. */
  run: OutputState['holder'];
}

export interface SavedCheckpoint {
  checkpoint: Checkpoint;
  modified: Date;
}

/**
 * Reads the state of an output and its run, without locking or changing anything but a repair that was killed: it is
 * finished first.
 *
 * @param among backends, if not the default ones
 * @throws RowcastError `no_output` if there is neither an output nor a run; `bad_checkpoint`,
 *   `unwritable_output`
 */
export async function readStatus(output: string, among?: Backends): Promise<Status> {
  const { path, durable } = await resolveTarget(output, false, among);
  if (durable === undefined)
    throw new RowcastError('usage', 'only a run that writes to a file has a checkpoint', {
      location: { file: output },
      hint: 'Use the path that was given with -o.',
    });
  // If it is still running, or its files cannot be renamed, that is its state.
  if (path !== undefined) await finishKilledRepair(path).catch(() => {});
  const { checkpoint, holder: run, partialBytes, finished } = await durable.state();
  if ([checkpoint, run, partialBytes, finished].every(found => found === undefined)) throw noRuns(output);
  const saved = checkpoint && {
    checkpoint: readCheckpoint(checkpoint.bytes, durable.checkpoint.name),
    modified: checkpoint.modified,
  };
  return { saved, run, partialBytes, finished };
}

export const noRuns = (file: string): RowcastError =>
  new RowcastError('no_output', 'there is no output and no unfinished run', {
    location: { file },
    hint: 'Check the path.',
  });
