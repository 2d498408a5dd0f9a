import { dirname, resolve } from 'node:path';
import { RowcastError } from '../../base/errors.ts';
import { type Backends, resolveTarget } from '../../storage/backends.ts';
import { checkApart } from '../../storage/local/distinct-files.ts';
import { lockOf } from '../../storage/local/locks/lock-file.ts';
import { type Locks, takeLocks } from '../../storage/local/locks/output-lock.ts';
import { type MadeFolders, makeFolders, refuseUnmounted } from '../../storage/local/make-folders.ts';
import { isMissing } from '../../storage/local/missing.ts';
import { partialOf } from '../../storage/local/sibling-path.ts';
import { type Target, unwritable } from '../../storage/target.ts';
import { relativeRejectsPath } from '../checkpoint/fingerprint.ts';
import { finishKilledRepair } from '../finish-repair.ts';
import { checkBeside, clearLeftovers, temporaryFilesOf } from './leftovers.ts';
import { runOutputsOf } from './run-files.ts';
import {
  defaultRejects,
  inputFiles,
  type RunPaths,
  type RunPathsOptions,
  resolveRunPaths,
  stderr,
} from './run-paths.ts';

/** The paths that a command writes to, locked against other processes until released. */
export interface LockedPaths extends RunPaths {
  /** The rejects path as recorded in a fingerprint. */
  relativeRejects: string | undefined;
  /** Backends of their names, if not the default ones. */
  backends?: Backends | undefined;
  release(): Promise<void>;
}

/**
 * Resolves and locks all paths that a command writes to, and creates their folders. Finishes a repair of the output
 * that was killed, and removes files that a killed run left without a checkpoint.
 *
 * @throws RowcastError as `resolveRunPaths`; `locked`, `foreign_file`
 */
export async function lockRunPaths(options: RunPathsOptions): Promise<LockedPaths> {
  const paths = await resolveRunPaths(options);
  const { output, summary } = paths;
  const { durable } = output;
  if (output.path !== undefined) await finishKilledRepair(output.path).catch(unlessUnfinished);
  const rejects = paths.rejects ?? defaultRejects(output);
  const locks = new Map<string, string>();
  const add = (target: Target | undefined, name: string | undefined): void => {
    if (target?.path !== undefined) locks.set(lockOf(target.path), name ?? target.path);
  };
  add(output, output.name);
  add(rejects, options.rejects);
  add(summary, options.summary);
  const lock = options.hasFolders === true ? takeLocks : lockInFolders;
  const files = await lock(locks, output.path === undefined ? undefined : resolve(output.path));
  const { tookOver } = files;
  const held = new Releases();
  let end = files.giveBack;
  held.add(() => end());
  try {
    for (const target of [output, rejects, summary]) if (target !== undefined) await lockStored(target, held);
    await clearLeftovers(await temporaryFilesOf({ output, rejects, summary }, tookOver));
    if (durable !== undefined) {
      const own = runOutputsOf(durable);
      await checkBeside(own.repaired, paths.rejects === undefined ? own.rejects : undefined);
    }
  } catch (error) {
    await held.release().catch(() => {}); // the first error is reported
    throw error;
  }
  end = files.release;
  const relativeRejects = durable && relativeRejectsPath(durable.address, paths.rejects?.durable?.address);
  return { ...paths, relativeRejects, backends: options.backends, release: () => held.release() };
}

/**
 * Locks what a storage other than the local one keeps. Two runs cannot wait for each other: a lock that is held is
 * refused.
 */
async function lockStored({ path, durable }: Target, held: Releases): Promise<void> {
  if (path !== undefined || durable === undefined) return;
  const lock = await durable.lock();
  held.add(() => lock.release());
}

/** An unfinished run may still be discarded; whatever needs its files reports the error. */
function unlessUnfinished(error: unknown): void {
  if (!(error instanceof RowcastError) || error.code !== 'unfinished') throw error;
}

/** A single output, locked until released. */
export interface LockedOutput {
  target: Target;
  release(): Promise<void>;
}

/**
 * Locks the output of a command that writes no other files, and creates its folder.
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
    backends,
  }: Pick<RunPathsOptions, 'reads' | 'backends'> & { isPrivate?: boolean | undefined } = {},
): Promise<LockedOutput> {
  const target = await resolveTarget(output, isPrivate, backends);
  await checkApart([...inputFiles(input), ...reads], [...target.usedFiles('the output', '-o'), stderr]);
  if (target.path === undefined) {
    const held = new Releases();
    await lockStored(target, held);
    return { target, release: () => held.release() };
  }
  const { tookOver, release, giveBack } = await lockInFolders(new Map([[lockOf(target.path), output]]));
  try {
    await clearLeftovers([{ path: partialOf(target.path), isStale: tookOver.size > 0 }]);
  } catch (error) {
    await giveBack();
    throw error;
  }
  return { target, release };
}

const MAX_ATTEMPTS = 5;

/**
 * Takes locks, and creates the folders that they are in. Those that are still empty at the release are removed.
 *
 * @throws RowcastError as `takeLocks`
 */
async function lockInFolders(names: ReadonlyMap<string, string>, output?: string): Promise<Locks> {
  for (let attempts = 1; ; attempts++) {
    const folders = await makeOutputFolders(names);
    try {
      const { tookOver, release, giveBack } = await takeLocks(names, output);
      return {
        tookOver,
        release: () => release().then(folders.undo),
        giveBack: () => giveBack().then(folders.undo),
      };
    } catch (error) {
      await folders.undo();
      // Another command may remove a folder that it created while that is still empty.
      const isGone = error instanceof Error && error.cause instanceof Error && isMissing(error.cause);
      if (!isGone || attempts === MAX_ATTEMPTS) throw error;
    }
  }
}

/** What is to be released at the end, in reverse order. */
export class Releases {
  readonly #releases: (() => Promise<void>)[] = [];

  add(release: () => Promise<void>): void {
    this.#releases.push(release);
  }

  /** Releases everything, even if some of it fails; the first failure is thrown. */
  async release(): Promise<void> {
    const failures: unknown[] = [];
    for (const release of this.#releases.splice(0).reverse())
      await release().catch(error => failures.push(error));
    if (failures.length > 0) throw failures[0];
  }
}

/**
 * Creates the missing folders of files that are about to be written.
 *
 * @param names path → the file's name for messages
 * @param fixed folders that were given, below which any may be created; otherwise each file's own folder was given
 * @returns what removes those that are still empty, so that a command that was refused leaves none
 * @throws RowcastError `unwritable_output`
 */
export async function makeOutputFolders(
  names: ReadonlyMap<string, string>,
  fixed: readonly string[] = [],
): Promise<MadeFolders> {
  const made: MadeFolders[] = [];
  const undo = async (): Promise<void> => {
    for (const folders of made.toReversed()) await folders.undo();
  };
  const folders = new Map([...names].map(([path, name]) => [dirname(path), name]));
  const given = [...folders.keys()].map(folder => fixed.find(outer => isWithin(folder, outer)) ?? folder);
  for (const folder of new Set(given)) await refuseUnmounted(folder);
  for (const [folder, name] of folders)
    made.push(
      await makeFolders(folder).catch(async cause => {
        await undo();
        throw unwritable(name, cause);
      }),
    );
  return { undo };
}

const isWithin = (folder: string, outer: string): boolean =>
  `${resolve(folder)}/`.startsWith(`${resolve(outer)}/`);
