import { readFile, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { RowcastError } from '../../base/errors.ts';
import { reasonOf } from '../../base/system-error.ts';
import type { Files } from '../durable-files.ts';
import type { CheckpointPlace, OutputState } from '../durable-output.ts';
import { fileAccessOf } from './access.ts';
import { replaceFile } from './atomic-write.ts';
import { lockOf } from './locks/lock-file.ts';
import { holderOf } from './locks/output-lock.ts';
import { isMissing } from './missing.ts';
import { partialOf, siblingPath } from './sibling-path.ts';

/** The files next to an output while it is written. */
export interface OutputNames {
  partial: string;
  checkpoint: string;
  /** The next checkpoint, before it replaces the current one. */
  newCheckpoint: string;
  /** What was set aside. */
  oldPartial: string;
  oldCheckpoint: string;
  lock: string;
}

/** @param path of the output, with links followed */
export function outputNames(path: string): OutputNames {
  const checkpoint = siblingPath(path, '.checkpoint', '.new'.length);
  return {
    partial: partialOf(path),
    checkpoint,
    newCheckpoint: `${checkpoint}.new`,
    oldPartial: siblingPath(path, '.partial.old'),
    oldCheckpoint: siblingPath(path, '.checkpoint.old'),
    lock: lockOf(path),
  };
}

/** The checkpoint of a local output: a file next to it, with its access rights. */
export function localCheckpoint(
  path: string,
  { checkpoint, newCheckpoint, oldCheckpoint }: OutputNames,
  isPrivate: boolean,
  files: Files,
): CheckpointPlace {
  // A checkpoint has the access rights of the output as they are when the first one is saved.
  let access: ReturnType<typeof fileAccessOf> | undefined;
  return {
    name: checkpoint,
    read: () => files.read(checkpoint),
    async replace(bytes) {
      access ??= fileAccessOf(path, isPrivate);
      await replaceFile(files, checkpoint, bytes, { next: newCheckpoint, access });
    },
    async remove() {
      await files.remove(checkpoint);
      // Otherwise it could reappear after a power failure, and be applied to other files.
      await files.syncFolder(dirname(path));
    },
    async setAside() {
      await files.rename(checkpoint, oldCheckpoint);
      await files.syncFolder(dirname(path));
    },
  };
}

/**
 * What the files of a local output say about it.
 *
 * @param path with links followed
 * @throws RowcastError `unreadable_output`
 */
export async function localState(path: string): Promise<OutputState> {
  const names = outputNames(path);
  const [checkpoint, holder, partial, finished] = await Promise.all([
    readCheckpoint(names.checkpoint),
    holderOf(names.lock),
    sizeOf(names.partial),
    sizeOf(path),
  ]);
  return { checkpoint, holder, partialBytes: partial?.bytes, finished };
}

async function readCheckpoint(path: string): Promise<OutputState['checkpoint']> {
  // Checkpoints are replaced atomically, so the bytes are consistent; the time may already be that of the next one.
  const bytes = await readFile(path).catch(orUndefined(path));
  const found = await stat(path).catch(orUndefined(path));
  return bytes && found && { bytes, modified: found.mtime };
}

async function sizeOf(path: string): Promise<OutputState['finished']> {
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
