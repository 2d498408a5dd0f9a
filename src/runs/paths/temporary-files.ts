import { diskFiles } from '../../storage/durable-files.ts';
import { lockOf } from '../../storage/local/locks/lock-file.ts';
import { partialOf } from '../../storage/local/sibling-path.ts';
import type { Target } from '../../storage/target.ts';
import type { TemporaryFile } from './leftovers.ts';
import { isNeededBy, isSamePath, localRejectsOf } from './previous-rejects.ts';
import { runFilesOf } from './run-files.ts';
import type { RunPaths } from './run-paths.ts';

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
  const isNeeded = abandonedOutput !== undefined && (await isNeededBy(abandonedOutput, rejects.path));
  return of === undefined ? own : [...own, { ...of, isStale: of.isStale && !isNeeded }];
}

/** Whether the partial rejects belong to the output's own unfinished run. */
async function isOwnPartialRejects(output: string, rejects: string): Promise<boolean> {
  const previous = await localRejectsOf(output);
  if (previous !== undefined)
    return previous.committed.bytes > 0 && isSamePath(previous.place.address, rejects);
  // An unreadable checkpoint does not tell where its rejects are, so assume the default path.
  return isSamePath(runFilesOf(output).rejects, rejects);
}
