import { readFile, stat } from 'node:fs/promises';
import { RowcastError } from '../errors.ts';
import { holderOf } from '../storage/local/output-lock.ts';
import { resolveTarget } from '../storage/target.ts';
import { type Checkpoint, readCheckpoint } from './checkpoint/checkpoint.ts';
import { runFilesOf } from './paths/run-files.ts';

/** What is there of an output. */
export interface Status {
  /** The last checkpoint, undefined where there is none. */
  saved: SavedCheckpoint | undefined;
  /** A run that is alive now; its process where that can be told. */
  run: { pid: number | undefined } | undefined;
  /** Bytes of the partial file, undefined where there is none. */
  partialBytes: number | undefined;
  /** OUTPUT itself: of this run, or of a former one where there is a checkpoint. */
  finished: { bytes: number; modified: Date } | undefined;
}

export interface SavedCheckpoint {
  checkpoint: Checkpoint;
  /** The checkpoint as it is. */
  text: string;
  modified: Date;
}

/**
 * Looks at an output and what a run keeps beside it. Nothing is taken, and nothing changed.
 *
 * @throws RowcastError `no_output` where there is neither an output nor a run; `bad_checkpoint`,
 *   `unwritable_output`
 */
export async function readStatus(output: string): Promise<Status> {
  const target = await resolveTarget(output);
  if (target.kind !== 'file')
    throw new RowcastError('usage', 'only a run that writes to a file keeps a checkpoint', {
      location: { file: output },
      hint: 'Give the path after -o.',
    });
  const paths = runFilesOf(target.path);
  const [saved, run, partial, found] = await Promise.all([
    readSaved(paths.checkpoint),
    holderOf(paths.lock),
    sizeOf(paths.partial),
    sizeOf(paths.output),
  ]);
  if (saved === undefined && run === undefined && partial === undefined && found === undefined)
    throw new RowcastError('no_output', 'there is neither an output nor an unfinished run', {
      location: { file: output },
      hint: 'Check the path.',
    });
  return { saved, run, partialBytes: partial?.bytes, finished: found };
}

async function readSaved(path: string): Promise<SavedCheckpoint | undefined> {
  // A checkpoint is replaced whole, so a text is of one; its time may be that of the next.
  const text = await readFile(path, 'utf8').catch(unlessMissing(path));
  const found = await stat(path).catch(unlessMissing(path));
  if (text === undefined || found === undefined) return undefined;
  return { checkpoint: readCheckpoint(text, path), text, modified: found.mtime };
}

async function sizeOf(path: string): Promise<{ bytes: number; modified: Date } | undefined> {
  const found = await stat(path).catch(unlessMissing(path));
  return found && { bytes: found.size, modified: found.mtime };
}

function unlessMissing(file: string): (cause: NodeJS.ErrnoException) => undefined {
  return cause => {
    if (cause.code === 'ENOENT') return undefined;
    throw new RowcastError('unreadable_output', `this cannot be read: ${cause.message}`, {
      location: { file },
      cause,
    });
  };
}
