import * as z from 'zod';
import type { PredictionType } from '../../base/contract/predictions.ts';
import type { Fingerprint } from '../../runs/checkpoint/checkpoint.ts';
import { REJECTS_OPTION } from '../../runs/checkpoint/fingerprint.ts';
import { PrefixDigest } from '../../runs/checkpoint/prefix-digest.ts';
import type { CommitPoint } from '../../runs/output/output.ts';
import type { LockedPaths } from '../../runs/paths/lock-paths.ts';
import type { RowCounts } from '../../scoring/row-counts.ts';
import type { Files } from '../../storage/durable-files.ts';
import type { DurableOutput } from '../../storage/durable-output.ts';
import { LocalOutput } from '../../storage/local/local-output.ts';
import type { SharedFolder } from '../../storage/shared-folder.ts';
import { ASSEMBLED } from '../folder/names.ts';
import type { ShardPlan } from '../folder/plan-shape.ts';
import { readRecord } from '../folder/read-record.ts';
import type { FileParts, OutputPart } from './file-parts.ts';

/** What a fingerprint calls the plan whose parts are joined. */
export const SHARDS_OPTION = '--shards';

/**
 * Identifies the run that joins the parts of an output. No other run resumes it.
 *
 * @param rejects path of the rejects file as a fingerprint has it
 */
export function joinFingerprint(
  { id, service, report }: ShardPlan,
  { file: { input: path, size, modified, codec, format, read_as: readAs } }: FileParts,
  rejects: string | undefined,
): Fingerprint {
  return {
    input: { path, size, modified, codec },
    format,
    readAs,
    service,
    report,
    options: {
      [SHARDS_OPTION]: JSON.stringify(id),
      ...(rejects !== undefined && { [REJECTS_OPTION]: rejects }),
    },
  };
}

/** The state of an output after one of its parts. The input is not read, so that there is no digest of it. */
export const pointAfter = (
  { end: position }: Pick<OutputPart, 'end'>,
  rowCounts: RowCounts,
  predictionType: PredictionType | undefined,
): CommitPoint => ({ position, prefix: new PrefixDigest().state(), predictionType, rowCounts });

/** How many parts a checkpoint covers. Each part has bytes of the input, but not always rows. */
export function coveredParts(parts: readonly OutputPart[], bytesIn: number): number {
  let [covered, sum] = [0, 0];
  for (const { result } of parts) {
    sum += result.rowCounts.bytesIn;
    if (sum > bytesIn) break;
    covered++;
  }
  return covered;
}

/** The output that parts are joined to. @param files those of an output that is a file */
export function joinedOutput(
  { output: { name, path, durable } }: Pick<LockedPaths, 'output'>,
  files: Files,
  isPrivate = false,
): DurableOutput {
  if (path !== undefined) return new LocalOutput(path, { name, isPrivate, files });
  // A plan has no other outputs.
  if (durable === undefined) throw new TypeError(`joinedOutput: ${name} cannot be resumed`);
  return durable;
}

const assembledShape = z.strictObject({ exit_code: z.number() });

/** Removes the folder of a run whose outputs are complete. A killed process is finished by the next one. */
export async function removeFolder(folder: SharedFolder, exitCode: number): Promise<void> {
  await folder.create(ASSEMBLED, JSON.stringify({ exit_code: exitCode }));
  await folder.discard(ASSEMBLED);
}

/** The exit code of a run that is assembled, if only its folder is left to be removed. */
export async function assembledCode(folder: SharedFolder): Promise<number | undefined> {
  return (await readRecord(folder, ASSEMBLED, assembledShape))?.exit_code;
}
