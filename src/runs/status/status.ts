import { readFile, stat } from 'node:fs/promises';
import { RowcastError } from '../../base/errors.ts';
import { reasonOf } from '../../base/system-error.ts';
import { resolveTarget } from '../../storage/backends.ts';
import { holderOf } from '../../storage/local/locks/output-lock.ts';
import { isMissing } from '../../storage/local/missing.ts';
import { type Checkpoint, readCheckpoint } from '../checkpoint/checkpoint.ts';
import { finishKilledRepair } from '../finish-repair.ts';
import { runFilesOf } from '../paths/run-files.ts';

/** The state of an output and its run. */
export interface Status {
  /** The last checkpoint, if any. */
  saved: SavedCheckpoint | undefined;
  /** The run in progress, if any, with its process and machine if known. */
  run: { pid: number | undefined; host?: string | undefined } | undefined;
  /** Size of the partial file, if it exists. */
  partialBytes: number | undefined;
  /** OUTPUT, if it exists. While there is a checkpoint, it comes from an earlier run. */
  finished: { bytes: number; modified: Date } | undefined;
}

export interface SavedCheckpoint {
  checkpoint: Checkpoint;
  /** The checkpoint file's text. */
  text: string;
  modified: Date;
}

/**
 * Reads the state of an output and its run, without locking or changing anything but a repair that was killed: it is
 * finished first.
 *
 * @throws RowcastError `no_output` if there is neither an output nor a run; `bad_checkpoint`,
 *   `unwritable_output`
 */
export async function readStatus(output: string): Promise<Status> {
  const target = await resolveTarget(output);
  if (target.path === undefined)
    throw new RowcastError('usage', 'only a run that writes to a file has a checkpoint', {
      location: { file: output },
      hint: 'Use the path that was given with -o.',
    });
  const paths = runFilesOf(target.path);
  // If it is still running, or its files cannot be renamed, that is its state.
  await finishKilledRepair(target.path).catch(() => {});
  const [saved, run, partial, found] = await Promise.all([
    readSaved(paths.checkpoint),
    holderOf(paths.lock),
    sizeOf(paths.partial),
    sizeOf(paths.output),
  ]);
  if (saved === undefined && run === undefined && partial === undefined && found === undefined)
    throw noRuns(output);
  return { saved, run, partialBytes: partial?.bytes, finished: found };
}

export const noRuns = (file: string): RowcastError =>
  new RowcastError('no_output', 'there is no output and no unfinished run', {
    location: { file },
    hint: 'Check the path.',
  });

async function readSaved(path: string): Promise<SavedCheckpoint | undefined> {
  // Checkpoints are replaced atomically, so the text is consistent; the time may already be that of the next one.
  const text = await readFile(path, 'utf8').catch(orUndefined(path));
  const found = await stat(path).catch(orUndefined(path));
  if (text === undefined || found === undefined) return undefined;
  return { checkpoint: readCheckpoint(text, path), text, modified: found.mtime };
}

async function sizeOf(path: string): Promise<{ bytes: number; modified: Date } | undefined> {
  const found = await stat(path).catch(orUndefined(path));
  return found && { bytes: found.size, modified: found.mtime };
}

function orUndefined(file: string): (cause: NodeJS.ErrnoException) => undefined {
  return cause => {
    if (isMissing(cause)) return undefined;
    throw new RowcastError('unreadable_output', `cannot read the file: ${reasonOf(cause)}`, {
      location: { file },
      cause,
    });
  };
}
