import { RowcastError } from '../../base/errors.ts';
import type { Comparison } from '../../formats/comparison.ts';
import { backendsOf, type StoreValues, versionOf, withSources } from '../../storage/backends.ts';
import { diskFiles, type Files } from '../../storage/durable-files.ts';
import type { Source } from '../../storage/source.ts';
import type { Target } from '../../storage/target.ts';
import { readCheckpoint } from '../checkpoint/checkpoint.ts';
import { REJECTS_OPTION } from '../checkpoint/fingerprint.ts';
import { publishComplete } from '../finish-repair.ts';
import { lockRunPaths } from '../paths/lock-paths.ts';
import { type RunFiles, runFilesOf } from '../paths/run-files.ts';
import { madeOfRepaired } from '../reuse/keep-made.ts';
import { type FilesOptions, openFiles } from './open-files.ts';
import { type Placed, placeRows } from './place-rows.ts';
import { replacementOf } from './replacement.ts';

export interface RepairOptions extends FilesOptions, Pick<StoreValues, 'storeOptions'> {
  /** Path of its rejects file, if it is not the default one. */
  rejects?: string | undefined;
  /** Whether only the owner of the new files may read them. */
  private: boolean;
  /** Stops the repair; the files are then unchanged. */
  stop?: AbortSignal | undefined;
  /** Called with whether rows keep their bytes, or the values of their fields. */
  onComparison?: (preserves: Comparison['preserves']) => void;
  /** Writes the new files. */
  storage?: Files;
}

/**
 * Puts corrected and scored rows into their places in an output. What is still rejected stays in the rejects file; the
 * repaired rows, as they were rejected, are kept in another file next to the output, so that `verify` can account for
 * them. The files change together: a killed repair is either not begun, or finished by the next command that uses the
 * output.
 *
 * @throws RowcastError `unfinished`, `no_rejects`, `bad_corrections`, `difference`, `locked`; the files are unchanged
 */
export async function repair(options: RepairOptions): Promise<Placed> {
  const { output, corrected, rejects, private: isPrivate } = options;
  const backends = backendsOf(options);
  const paths = { input: corrected, output, rejects, private: isPrivate, backends };
  const locked = await lockRunPaths(paths).catch(error => {
    throw error instanceof RowcastError && error.code === 'output_is_input' ? sameFile(corrected) : error;
  });
  try {
    const path = localPath(locked.output);
    const paths = runFilesOf(path, locked.rejects?.path);
    await finishKilledRun(paths, locked.relativeRejects);
    return await withSources(backends, open => repairFiles(paths, options, open, locked.relativeRejects));
  } finally {
    await locked.release();
  }
}

const sameFile = (corrected: string): RowcastError =>
  new RowcastError('output_is_input', 'the corrected rows are in a file that repair writes itself', {
    location: { file: corrected },
    hint: 'Correct the rows of OUTPUT.rejects and score them into a file of their own first; then: rowcast repair OUTPUT CORRECTED.',
  });

async function repairFiles(
  paths: RunFiles,
  options: RepairOptions,
  open: (path: string) => Promise<Source>,
  relativeRejects: string | undefined,
): Promise<Placed> {
  const { private: isPrivate, stop, storage = diskFiles } = options;
  const before = await versionOf(paths.output);
  const { files, headers, sources, groups } = await openFiles(paths, options, open);
  options.onComparison?.(groups === undefined ? 'bytes' : 'values');
  // Nothing is left to repair: only what was repaired before is compared.
  if (files.rejects === undefined) return await placeRows(files, async () => {}, stop);
  const keepMade = await madeOfRepaired(options.output, options.corrected, backendsOf(options));
  const replacement = await replacementOf(storage, paths, { isPrivate, groups, headers });
  try {
    const placed = await placeRows(files, replacement.write, stop);
    for (const source of [sources.output, sources.corrected, sources.rejects]) await source.checkUnchanged();
    stop?.throwIfAborted();
    if (placed.placed === 0) await replacement.abandon();
    else
      await replacement.publish(await sources.corrected.identify(), relativeRejects, before).then(keepMade);
    return placed;
  } catch (error) {
    await replacement.abandon();
    throw error;
  }
}

/** @throws RowcastError `usage` for an output that is not a local file */
function localPath({ name, path }: Target): string {
  if (path !== undefined) return path;
  throw new RowcastError('usage', 'repair needs an output that is a local file', {
    location: { file: name },
    hint: 'Give -o FILE. A finished file can be copied elsewhere.',
  });
}

/**
 * Finishes a run or a repair that was killed while its files took their places.
 *
 * @param rejects path of the rejects file as a fingerprint has it
 * @throws RowcastError `unfinished` if the run was killed earlier
 */
async function finishKilledRun(paths: RunFiles, rejects: string | undefined): Promise<void> {
  const text = await diskFiles.read(paths.checkpoint);
  if (text === undefined) return;
  const saved = readCheckpoint(text, paths.checkpoint);
  if (saved.state !== 'complete' || saved.fingerprint.options[REJECTS_OPTION] !== rejects)
    throw new RowcastError('unfinished', 'the run that writes this file is not finished', {
      location: { file: paths.output },
      hint: 'Run its command again to finish it, then repair the output.',
    });
  await publishComplete(diskFiles, paths, saved);
}
