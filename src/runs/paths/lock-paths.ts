import { resolve } from 'node:path';
import { checkApart, type UsedFile } from '../../storage/local/distinct-files.ts';
import { lockOf } from '../../storage/local/lock-file.ts';
import { takeLock, takeLocks } from '../../storage/local/output-lock.ts';
import { partialOf, resolveTarget, type Target } from '../../storage/target.ts';
import { relativeRejectsPath } from '../checkpoint/fingerprint.ts';
import { checkDefaultRejects, clearLeftovers } from './leftovers.ts';
import { runFilesOf } from './run-files.ts';
import {
  defaultRejects,
  inputFile,
  type RunPaths,
  type RunPathsOptions,
  resolveRunPaths,
  stderr,
  usedFilesOf,
} from './run-paths.ts';
import { temporaryFilesOf } from './temporary-files.ts';

/** Where a command writes, held until they are released: no other run writes to any of them. */
export interface LockedPaths extends RunPaths {
  /** Where the rejects go, as a fingerprint has it. */
  relativeRejects: string | undefined;
  release(): Promise<void>;
}

/**
 * Resolves all that a command writes, and takes the locks of it. Nothing else is written; what a killed run left
 * without a checkpoint is removed.
 *
 * @throws RowcastError those of `resolvePlaces`, `locked`, `foreign_file`
 */
export async function lockRunPaths(options: RunPathsOptions): Promise<LockedPaths> {
  const places = await resolveRunPaths(options);
  const { output, summary } = places;
  const rejects = places.rejects ?? defaultRejects(output);
  const locks = new Map<string, string>();
  const add = (target: Target | undefined, name: string | undefined): void => {
    if (target?.kind === 'file') locks.set(lockOf(target.path), name ?? target.path);
  };
  add(output, options.output);
  add(rejects, options.rejects);
  add(summary, options.summary);
  const { tookOver, release } = await takeLocks(
    locks,
    output.kind === 'file' ? resolve(output.path) : undefined,
  );
  try {
    await clearLeftovers(await temporaryFilesOf({ output, rejects, summary }, tookOver));
    if (output.kind === 'file' && places.rejects === undefined)
      await checkDefaultRejects(runFilesOf(output.path).rejects);
  } catch (error) {
    await release();
    throw error;
  }
  const named = places.rejects?.kind === 'file' ? places.rejects.path : undefined;
  const rejectsPlace = output.kind === 'file' ? relativeRejectsPath(output.path, named) : undefined;
  return { ...places, relativeRejects: rejectsPlace, release };
}

/** A single output that is held until it is released. */
export interface LockedOutput {
  target: Target;
  release(): Promise<void>;
}

/**
 * Takes the output of a command that writes nothing beside it.
 *
 * @param input a path, or `-` for stdin; undefined where the command reads none
 * @throws RowcastError `output_is_input`, `same_output`, `unwritable_output`, `locked`
 */
export async function lockOutput(
  output: string,
  input: string | undefined,
  reads: readonly UsedFile[] = [],
): Promise<LockedOutput> {
  const target = await resolveTarget(output);
  const own = input === undefined ? [] : [inputFile(input)];
  await checkApart([...own, ...reads], [...usedFilesOf(target, 'the output', '-o'), stderr]);
  if (target.kind !== 'file') return { target, release: async () => {} };
  const { tookOver, release } = await takeLock(lockOf(target.path), output);
  try {
    await clearLeftovers([{ path: partialOf(target.path), isStale: tookOver }]);
  } catch (error) {
    await release();
    throw error;
  }
  return { target, release };
}
