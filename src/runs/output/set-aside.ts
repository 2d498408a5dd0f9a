import { dirname } from 'node:path';
import { RowcastError } from '../../base/errors.ts';
import type { Files } from '../../storage/durable-files.ts';
import { unlessAbsent } from '../../storage/local/missing.ts';
import { partialOf } from '../../storage/local/sibling-path.ts';
import { oldRejectsPartialOf, previousRejectsOf } from '../paths/previous-rejects.ts';
import type { RunFiles } from '../paths/run-files.ts';

/**
 * Keeps the files of an unfinished run under other names, because a run of different work takes its place. The
 * checkpoint is the last one: a run that is killed in between leaves one that is set aside again.
 */
export async function setAside(files: Files, paths: RunFiles): Promise<void> {
  const rejects = await previousRejectsOf(paths.output);
  const isOurs = (await files.size(paths.oldCheckpoint)) !== undefined;
  if (
    !isOurs &&
    (await files.size(paths.oldPartial)) !== undefined &&
    (await files.size(paths.partial)) !== undefined
  )
    throw new RowcastError('foreign_file', 'the file exists and does not belong to an unfinished run', {
      location: { file: paths.oldPartial },
      hint: 'Move it elsewhere: the unfinished run is to be kept under this name.',
    });
  await move(files, paths.partial, paths.oldPartial);
  if (rejects !== undefined && rejects.committed.bytes > 0)
    await move(files, partialOf(rejects.path), oldRejectsPartialOf(rejects.path));
  await files.rename(paths.checkpoint, paths.oldCheckpoint);
  await files.syncFolder(dirname(paths.output));
}

const move = (files: Files, from: string, to: string): Promise<void> =>
  files.rename(from, to).catch(unlessAbsent);
