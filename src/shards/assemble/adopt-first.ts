import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { PredictionType } from '../../base/contract/predictions.ts';
import { type Checkpoint, FORMAT, readCheckpoint } from '../../runs/checkpoint/checkpoint.ts';
import type { RunIdentity } from '../../runs/output/output.ts';
import { RejectsOutput } from '../../runs/output/rejects-output.ts';
import { type RunFiles, runFilesOf } from '../../runs/paths/run-files.ts';
import type { Files } from '../../storage/durable-files.ts';
import { NOTHING_WRITTEN } from '../../storage/durable-output.ts';
import { fileAccessOf, giveAccess } from '../../storage/local/access.ts';
import { LocalOutput } from '../../storage/local/local-output.ts';
import { storedChunks } from '../../storage/local/verify-committed.ts';
import type { FileParts, OutputPart } from './file-parts.ts';
import { coveredParts, pointAfter } from './join-state.ts';

export interface FirstPart {
  files: Files;
  paths: RunFiles;
  parts: FileParts['parts'];
  identity: RunIdentity;
  predictionType: PredictionType | undefined;
  private: boolean;
}

/**
 * Makes the first part the beginning of the output by a rename, if it is on the same disk. A checkpoint that covers it
 * is saved first: without one, a partial file may be removed as the leftover of a run. A rename that is missing after a
 * kill is done then.
 */
export async function adoptFirst(work: FirstPart): Promise<void> {
  const { files, paths, parts, identity } = work;
  const [first] = parts;
  if (first === undefined) return;
  const text = await files.read(paths.checkpoint);
  if (text === undefined) {
    if (!(await isSameDisk(dirname(first.path), dirname(paths.output)))) return;
    await saveFirst(work, first);
  } else {
    const { fingerprint, rowCounts } = readCheckpoint(text, paths.checkpoint);
    if (!isDeepStrictEqual(fingerprint, identity.fingerprint)) return;
    if (coveredParts(parts, rowCounts.bytesIn) !== 1) return;
  }
  const isThere = (await files.size(first.path)) !== undefined;
  if (!isThere || (await files.size(paths.partial)) !== undefined) return;
  giveAccess(first.path, fileAccessOf(paths.output, work.private));
  try {
    await files.rename(first.path, paths.partial);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'EXDEV') throw cause; // errors of fs
    // The disk is mounted twice, so the part is copied.
    await files.remove(paths.checkpoint);
  }
  for (const folder of [dirname(paths.partial), dirname(first.path)]) await files.syncFolder(folder);
}

async function saveFirst(
  { files, paths, identity, predictionType, ...work }: FirstPart,
  first: OutputPart,
): Promise<void> {
  const options = { isPrivate: work.private, files };
  const rejects = new RejectsOutput(new LocalOutput(paths.rejects, options));
  await rejects.resume(NOTHING_WRITTEN, rejects.extent.tail);
  for await (const chunk of storedChunks(files, runFilesOf(first.path).rejects, first.result.rejects))
    await rejects.write(chunk);
  await rejects.sync();
  await rejects.close();
  for (const folder of new Set([dirname(paths.rejects), dirname(paths.output)]))
    await files.syncFolder(folder);
  const { bytes, tail } = rejects.extent;
  const { attempt, fingerprint } = identity;
  const { rowCounts, output: written } = first.result;
  const { position, prefix } = pointAfter(first, rowCounts, predictionType);
  const checkpoint: Checkpoint = {
    format: FORMAT,
    state: 'running',
    attempt,
    fingerprint,
    position,
    prefix,
    output: { ...written, uncompressed: written.bytes },
    rejects: { bytes, tail: bytes === 0 ? '' : tail.digest() },
    ...(predictionType !== undefined && { predictionType }),
    rowCounts,
  };
  const output = new LocalOutput(paths.output, options);
  await output.checkpoint.replace(Buffer.from(JSON.stringify(checkpoint)));
  await files.syncFolder(dirname(paths.checkpoint));
}

async function isSameDisk(a: string, b: string): Promise<boolean> {
  const [first, second] = await Promise.all([stat(a), stat(b)]);
  return first.dev === second.dev;
}
