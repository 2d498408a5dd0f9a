import { dirname, resolve } from 'node:path';
import { RowcastError } from '../base/errors.ts';
import { schemeOf } from '../base/scheme.ts';
import type { FileVersion } from '../storage/backend.ts';
import { resolveTarget } from '../storage/backends.ts';
import { diskFiles, type Files } from '../storage/durable-files.ts';
import { LocalOutput } from '../storage/local/local-output.ts';
import { lockOf } from '../storage/local/locks/lock-file.ts';
import { takeLocks } from '../storage/local/locks/output-lock.ts';
import { type Checkpoint, readCheckpoint } from './checkpoint/checkpoint.ts';
import { localRejectsOf } from './paths/previous-rejects.ts';
import { publish } from './paths/publish.ts';
import { type RunFiles, runFilesOf, runOutputsOf } from './paths/run-files.ts';
import { RunLedger } from './several/run-ledger.ts';

/**
 * Finishes a repair that was killed while its files took their places. Every command that reads or replaces an output
 * calls this first: until then, some of the files are the old ones.
 *
 * @returns whether there was one
 * @throws RowcastError `locked` if the repair is still running; `unfinished` if the files cannot be renamed
 */
export async function finishKilledRepair(output: string): Promise<boolean> {
  const path = await pathOf(output);
  if (path === undefined || (await repairOf(path)) === undefined) return false;
  const rejects = (await localRejectsOf(path))?.output.address ?? runFilesOf(path).rejects;
  const names = new Map([
    [lockOf(path), output],
    [lockOf(rejects), rejects],
  ]);
  const { release } = await takeLocks(names, path).catch(unfinished(output));
  try {
    // Another process may have finished it in the meantime.
    const saved = await repairOf(path);
    if (saved === undefined) return false;
    const isDefault = rejects === runFilesOf(path).rejects;
    await publishComplete(diskFiles, runFilesOf(path, isDefault ? undefined : rejects), saved).catch(
      unfinished(output),
    );
    return true;
  } finally {
    await release();
  }
}

/** The last steps of a run or a repair whose checkpoint is complete; the locks are held. */
export async function publishComplete(
  files: Files,
  paths: RunFiles,
  { output, rejects, repaired }: Pick<Checkpoint, 'output' | 'rejects' | 'repaired'>,
): Promise<void> {
  const local = new LocalOutput(paths.output, { files });
  const outputs = runOutputsOf(local, paths.hasDefaultRejects ? undefined : local.at(paths.rejects));
  // The ledger of its folder would otherwise take the repaired output for one that another program has modified.
  await publish(
    outputs,
    { output, rejects, repaired },
    async () => repaired && recordRepair(paths.output, repaired.before, repaired.left),
  );
}

/** The checkpoint of a repair whose renames are not all done. */
async function repairOf(path: string): Promise<Checkpoint | undefined> {
  const { checkpoint } = runFilesOf(path);
  const text = await diskFiles.read(checkpoint).catch(() => undefined);
  if (text === undefined) return undefined;
  try {
    const saved = readCheckpoint(text, checkpoint);
    return saved.state === 'complete' && saved.repaired !== undefined ? saved : undefined;
  } catch {
    return undefined; // reported by a command that needs it
  }
}

/** The path of an output that may be a file, with links resolved. */
const pathOf = async (output: string): Promise<string | undefined> =>
  schemeOf(output) !== undefined
    ? undefined
    : resolveTarget(output).then(
        ({ path }) => path,
        () => undefined, // reported by the command
      );

const unfinished =
  (file: string) =>
  (cause: unknown): never => {
    if (cause instanceof RowcastError && cause.code === 'locked') throw cause;
    const where = cause instanceof RowcastError ? `${cause.location.file ?? file}: ` : '';
    const reason = cause instanceof Error ? `: ${where}${cause.message}` : '';
    throw new RowcastError('unfinished', `a repair of this file was killed and cannot be finished${reason}`, {
      location: { file },
      hint: 'Run rowcast repair again, as a user who may write there; or score the input again with --restart.',
      cause,
    });
  };

/**
 * Tells the ledger that has the run of a repaired output, in the output's folder or in one above it: the next command
 * would otherwise score the input again, over the repair. The parameters are those of `RunLedger.addRepaired`.
 *
 * @throws RowcastError `unwritable_output`, `locked`
 */
export async function recordRepair(
  output: string,
  before: FileVersion | undefined,
  rejected: number,
): Promise<void> {
  const path = resolve(output);
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    if (await new RunLedger(folder).addRepaired(path, before, rejected)) return;
    if (folder === dirname(folder)) return;
  }
}
