import { resolve } from 'node:path';
import { resolveTarget } from '../../storage/backends.ts';
import { checkApart } from '../../storage/local/distinct-files.ts';
import { lockOf } from '../../storage/local/locks/lock-file.ts';
import { takeLock, takeLocks } from '../../storage/local/locks/output-lock.ts';
import { partialOf } from '../../storage/local/sibling-path.ts';
import type { UsedFile } from '../../storage/local/used-file.ts';
import type { Target } from '../../storage/target.ts';
import { relativeRejectsPath } from '../checkpoint/fingerprint.ts';
import { checkDefaultRejects, checkRepaired, clearLeftovers } from './leftovers.ts';
import { runFilesOf } from './run-files.ts';
import {
  defaultRejects,
  inputFiles,
  type RunPaths,
  type RunPathsOptions,
  resolveRunPaths,
  stderr,
} from './run-paths.ts';
import { temporaryFilesOf } from './temporary-files.ts';

/** The paths that a command writes to, locked against other processes until released. */
export interface LockedPaths extends RunPaths {
  /** The rejects path as recorded in a fingerprint. */
  relativeRejects: string | undefined;
  release(): Promise<void>;
}

/**
 * Resolves and locks all paths that a command writes to. Removes files that a killed run left without a checkpoint.
 *
 * @throws RowcastError as `resolveRunPaths`; `locked`, `foreign_file`
 */
export async function lockRunPaths(options: RunPathsOptions): Promise<LockedPaths> {
  const paths = await resolveRunPaths(options);
  const { output, summary } = paths;
  const rejects = paths.rejects ?? defaultRejects(output);
  const locks = new Map<string, string>();
  const add = (target: Target | undefined, name: string | undefined): void => {
    if (target?.path !== undefined) locks.set(lockOf(target.path), name ?? target.path);
  };
  add(output, output.name);
  add(rejects, options.rejects);
  add(summary, options.summary);
  const { tookOver, release } = await takeLocks(
    locks,
    output.path === undefined ? undefined : resolve(output.path),
  );
  try {
    await clearLeftovers(await temporaryFilesOf({ output, rejects, summary }, tookOver));
    if (output.path !== undefined) {
      const files = runFilesOf(output.path);
      if (paths.rejects === undefined) await checkDefaultRejects(files.rejects);
      await checkRepaired(files.repaired);
    }
  } catch (error) {
    await release();
    throw error;
  }
  const relativeRejects =
    output.path === undefined ? undefined : relativeRejectsPath(output.path, paths.rejects?.path);
  return { ...paths, relativeRejects, release };
}

/** A single output, locked until released. */
export interface LockedOutput {
  target: Target;
  release(): Promise<void>;
}

/**
 * Locks the output of a command that writes no other files.
 *
 * @param input a path or `-` for stdin; undefined if the command has no input
 * @throws RowcastError `output_is_input`, `same_output`, `unwritable_output`, `locked`
 */
export async function lockOutput(
  output: string,
  input: string | undefined,
  {
    reads = [],
    isPrivate,
  }: { reads?: readonly UsedFile[] | undefined; isPrivate?: boolean | undefined } = {},
): Promise<LockedOutput> {
  const target = await resolveTarget(output, isPrivate);
  await checkApart([...inputFiles(input), ...reads], [...target.usedFiles('the output', '-o'), stderr]);
  if (target.path === undefined) return { target, release: async () => {} };
  const { tookOver, release } = await takeLock(lockOf(target.path), output);
  try {
    await clearLeftovers([{ path: partialOf(target.path), isStale: tookOver }]);
  } catch (error) {
    await release();
    throw error;
  }
  return { target, release };
}
