import { lstat } from 'node:fs/promises';
import { RowcastError } from '../../base/errors.ts';
import { beginsLikeRejects } from '../../formats/records/reject.ts';
import { diskFiles } from '../../storage/durable-files.ts';
import type { DurableOutput } from '../../storage/durable-output.ts';
import { lockOf } from '../../storage/local/locks/lock-file.ts';
import { partialOf } from '../../storage/local/sibling-path.ts';
import { type Target, unwritable } from '../../storage/target.ts';
import { isSamePath, localRejectsOf, needsRejects } from './previous-rejects.ts';
import { runFilesOf } from './run-files.ts';
import type { RunPaths } from './run-paths.ts';

/** A temporary file that a command is about to create. */
interface TemporaryFile {
  path: string;
  /** Whether it was left behind by a dead process, which held the lock of its output. */
  isStale: boolean;
}

/**
 * Clears the paths of a command's temporary files. Files that a killed command left are removed; any other file is an
 * error, since it would be overwritten.
 *
 * @throws RowcastError `foreign_file`, `unwritable_output`
 */
export async function clearLeftovers(temporaries: readonly TemporaryFile[]): Promise<void> {
  for (const { path, isStale } of temporaries)
    if (isStale)
      await diskFiles.remove(path).catch(cause => {
        throw unwritable(path, cause);
      });
  for (const { path } of temporaries)
    if (await exists(path)) throw foreign(path, 'the file exists and does not belong to an unfinished run');
}

/**
 * Checks that what is in the default places of rejects and repaired rows are such files, which look alike: otherwise
 * they must not be replaced or removed.
 *
 * @param rejects undefined if another place was named
 * @throws RowcastError `foreign_file`
 */
export async function checkBeside(
  repaired: DurableOutput,
  rejects: DurableOutput | undefined,
): Promise<void> {
  const isForeign = async (file: DurableOutput) => (await file.exists()) && !(await isRejects(file));
  if (rejects !== undefined && (await isForeign(rejects)))
    throw foreign(
      rejects.address,
      'the file exists and is not a rejects file',
      ', or choose another path with --rejects',
    );
  if (await isForeign(repaired))
    throw foreign(repaired.address, 'the file exists and is not one of repaired rows');
}

const HEAD_BYTES = 256;

/** Whether an output starts with the columns of a rejects file. One that cannot be read may be anything. */
export async function isRejects(output: DurableOutput): Promise<boolean> {
  const start = await output.readStart(HEAD_BYTES);
  return start !== undefined && beginsLikeRejects(start.toString());
}

/** A dangling link counts as existing: writing would follow it. */
const exists = async (path: string): Promise<boolean> =>
  (await lstat(path).catch(() => undefined)) !== undefined;

function foreign(file: string, message: string, more = ''): RowcastError {
  return new RowcastError('foreign_file', message, {
    location: { file },
    hint: `Move it elsewhere${more}.`,
  });
}

/**
 * The temporary files that a run is about to create, except those that it takes over from an unfinished run.
 *
 * @param paths including the default rejects path
 * @param tookOver locks taken over from dead processes → the output of that process, if known
 */
export async function temporaryFilesOf(
  { output, rejects, summary }: RunPaths,
  tookOver: ReadonlyMap<string, string | undefined>,
): Promise<TemporaryFile[]> {
  const temporary = (path: string, of: string): TemporaryFile => ({
    path,
    isStale: tookOver.has(lockOf(of)),
  });
  const partial = (target: Target | undefined): TemporaryFile[] =>
    target?.path === undefined ? [] : [temporary(partialOf(target.path), target.path)];
  const own = partial(summary);
  if (output.path !== undefined) {
    const { checkpoint, newCheckpoint, repairedPartial } = runFilesOf(output.path);
    const isUnfinished = (await diskFiles.size(checkpoint)) !== undefined;
    if (!isUnfinished)
      own.push(
        ...partial(output),
        temporary(newCheckpoint, output.path),
        temporary(repairedPartial, output.path),
      );
    if (isUnfinished && rejects?.path !== undefined && (await isOwnPartialRejects(output.path, rejects.path)))
      return own;
  }
  if (rejects?.path === undefined) return own;
  const [of] = partial(rejects);
  const abandonedOutput = tookOver.get(lockOf(rejects.path));
  // The dead process may have left a checkpoint: its run needs these files to resume.
  const isNeeded =
    abandonedOutput !== undefined && needsRejects(await localRejectsOf(abandonedOutput), rejects.path);
  return of === undefined ? own : [...own, { ...of, isStale: of.isStale && !isNeeded }];
}

/** Whether the partial rejects belong to the output's own unfinished run. */
async function isOwnPartialRejects(output: string, rejects: string): Promise<boolean> {
  const previous = await localRejectsOf(output);
  if (previous !== undefined) return needsRejects(previous, rejects);
  // An unreadable checkpoint does not tell where its rejects are, so assume the default path.
  return isSamePath(runFilesOf(output).rejects, rejects);
}
