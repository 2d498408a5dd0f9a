import { readFile, stat } from 'node:fs/promises';
import { RowcastError } from '../../base/errors.ts';
import { reasonOf } from '../../base/system-error.ts';
import type { OutputState } from '../durable-output.ts';
import { holderOf } from './locks/output-lock.ts';
import { isMissing } from './missing.ts';
import { outputNames } from './output-names.ts';

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
