import { stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { RowcastError } from '../../base/errors.ts';
import { readCheckpoint } from '../../runs/checkpoint/checkpoint.ts';
import type { LockedPaths } from '../../runs/paths/lock-paths.ts';
import { runFilesOf } from '../../runs/paths/run-files.ts';
import type { Files } from '../../storage/durable-files.ts';
import type { SharedFolder } from '../../storage/shared-folder.ts';
import { joinedName } from '../folder/names.ts';
import { isStored } from '../folder/part-output.ts';
import type { ShardPlan } from '../folder/plan-shape.ts';
import type { FileParts, OutputPart } from './file-parts.ts';
import { SAVE_BYTES } from './join-file.ts';
import { coveredParts, joinedOutput, joinFingerprint } from './join-state.ts';

/** What joining needs on one disk. */
export interface SpaceNeed {
  /** A folder of an output on it. */
  folder: string;
  bytes: number;
  free: number;
}

/** The disk space that joining needs in addition to that of the parts, by disk. A store has enough. */
export async function spaceNeeded(pending: readonly PendingFile[]): Promise<SpaceNeed[]> {
  const needs = new Map<number, SpaceNeed>();
  for (const { file, locked, parts } of pending) {
    const [first] = parts;
    const { path } = locked.output;
    if (first === undefined || path === undefined) continue;
    const folder = dirname(path);
    const { dev } = await stat(folder);
    const isSameDisk = !isStored(first.path) && (await stat(dirname(first.path))).dev === dev;
    const { bavail, bsize } = await statfs(folder);
    const need = needs.get(dev) ?? { folder, bytes: 0, free: bavail * bsize };
    const bytes = bytesFor(file, parts, isSameDisk);
    // On the same disk, the parts of one output are gone before the next one is joined.
    need.bytes = isSameDisk ? Math.max(need.bytes, bytes) : need.bytes + bytes;
    needs.set(dev, need);
  }
  return [...needs.values()];
}

/** @throws RowcastError `disk_full` */
export function checkSpace(needs: readonly SpaceNeed[]): void {
  for (const { folder, bytes, free } of needs)
    if (bytes > free)
      throw new RowcastError(
        'disk_full',
        `joining the parts needs ${bytes} more bytes, and ${free} are free`,
        {
          severity: 'temporary',
          location: { file: folder },
          hint: 'Free disk space, then run the same command again.',
        },
      );
}

/** On the same disk, the first part is renamed, and the others are removed soon after they were copied. */
function bytesFor(
  { parts: all }: Pick<FileParts, 'parts'>,
  parts: readonly OutputPart[],
  isSameDisk: boolean,
): number {
  const sizes = parts.map(part => {
    const { output, rejects } = part.result;
    return (isSameDisk && part === all[0] ? 0 : output.bytes) + rejects.bytes;
  });
  const sum = sizes.reduce((total, bytes) => total + bytes, 0);
  return isSameDisk ? Math.min(sum, SAVE_BYTES + Math.max(...sizes)) : sum;
}

/** An output whose lock is held, and the parts that are not in it yet. */
export interface PendingFile {
  file: FileParts;
  locked: LockedPaths;
  parts: readonly OutputPart[];
}

/**
 * Which parts an earlier process has not joined.
 *
 * @throws RowcastError `bad_checkpoint`
 */
export async function pendingFile(
  { folder, plan, files }: { folder: SharedFolder; plan: ShardPlan; files: Files },
  file: FileParts,
  locked: LockedPaths,
): Promise<PendingFile> {
  const output = joinedOutput(locked, files);
  const pending = (from: number): PendingFile => ({ file, locked, parts: file.parts.slice(from) });
  if ((await folder.read(joinedName(file.index))) !== undefined) return pending(file.parts.length);
  const bytes = await output.checkpoint.read();
  if (bytes === undefined) return pending(0);
  const { fingerprint, rowCounts } = readCheckpoint(bytes, output.checkpoint.name);
  if (!isDeepStrictEqual(fingerprint, joinFingerprint(plan, file, locked.relativeRejects))) return pending(0);
  const covered = coveredParts(file.parts, rowCounts.bytesIn);
  // Killed before its first part was renamed.
  const { path } = locked.output;
  const isRenamed =
    covered !== 1 || path === undefined || (await files.size(runFilesOf(path).partial)) !== undefined;
  return pending(isRenamed ? covered : 0);
}
