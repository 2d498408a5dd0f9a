import { resolve } from 'node:path';
import { schemeOf } from '../../base/scheme.ts';
import { type Backends, resolveTarget } from '../../storage/backends.ts';
import type { DurableOutput, StoredExtent } from '../../storage/durable-output.ts';
import { LocalOutput } from '../../storage/local/local-output.ts';
import { type Checkpoint, readCheckpoint } from '../checkpoint/checkpoint.ts';
import { REJECTS_OPTION, rejectsAddress } from '../checkpoint/fingerprint.ts';
import { runOutputsOf } from './run-files.ts';

/** The rejects of an unfinished run, as recorded in its checkpoint. */
interface PreviousRejects {
  output: DurableOutput;
  committed: StoredExtent;
}

/**
 * Finds the rejects of an unfinished run of an output. A file given with --rejects may belong to another run by now, so
 * what was written to it may be modified only if a checkpoint or the lock of a dead process proves whose it is.
 *
 * @param bytes its checkpoint
 * @param among backends, if not the default ones
 * @returns undefined without a readable checkpoint
 */
export async function previousRejectsOf(
  output: DurableOutput,
  bytes: Buffer | undefined,
  among?: Backends,
): Promise<PreviousRejects | undefined> {
  const saved = bytes && readOrNothing(bytes, output.checkpoint.name);
  if (saved === undefined) return undefined;
  const { rejects: committed, fingerprint } = saved;
  const recorded = fingerprint.options[REJECTS_OPTION];
  if (recorded === undefined) return { output: runOutputsOf(output).rejects, committed };
  const found = await outputAt(rejectsAddress(output.address, recorded), output, among);
  return found && { output: found, committed };
}

/** @param near an output that may be in the same storage */
async function outputAt(
  address: string,
  near: DurableOutput,
  among: Backends | undefined,
): Promise<DurableOutput | undefined> {
  if (schemeOf(address) === schemeOf(near.address)) return near.at(address);
  return (await resolveTarget(address, false, among)).durable;
}

/**
 * Removes what was set aside for a run that has finished now. Without a readable checkpoint, the files may be anyone's.
 *
 * @param output its lock is held
 */
export async function removeSetAside(output: DurableOutput, among?: Backends): Promise<void> {
  const { aside } = output;
  const rejects = await previousRejectsOf(output, await aside?.checkpoint.read(), among);
  if (rejects === undefined) return;
  await aside?.discard();
  if (rejects.committed.bytes > 0) await rejects.output.aside?.discard();
  await aside?.checkpoint.remove();
}

function readOrNothing(bytes: Buffer, file: string): Checkpoint | undefined {
  try {
    return readCheckpoint(bytes, file);
  } catch {
    return undefined; // reported when the run is resumed
  }
}

/** The rejects of the unfinished run of a local output, by its path. */
export async function localRejectsOf(path: string): Promise<PreviousRejects | undefined> {
  const output = new LocalOutput(path);
  return previousRejectsOf(output, await output.checkpoint.read());
}

/** Whether an unfinished run has something in the partial file of these rejects, by their path. */
export const needsRejects = (previous: PreviousRejects | undefined, rejects: string): boolean =>
  previous !== undefined && previous.committed.bytes > 0 && isSamePath(previous.output.address, rejects);

export const isSamePath = (a: string, b: string): boolean => resolve(a) === resolve(b);
