import { stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { RowcastError } from '../../base/errors.ts';
import { isStored } from '../folder/part-output.ts';
import type { FileParts, Part } from './file-parts.ts';
import { SAVE_BYTES } from './join-file.ts';
import type { PendingFile } from './pending-parts.ts';

/** What joining needs on one disk. */
export interface SpaceNeed {
  /** A folder of an output on it. */
  folder: string;
  bytes: number;
  free: number;
}

/** The disk space that joining needs in addition to that of the parts, by disk. A store has room. */
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
  parts: readonly Part[],
  isSameDisk: boolean,
): number {
  const sizes = parts.map(part => {
    const { output, rejects } = part.result;
    return (isSameDisk && part === all[0] ? 0 : output.bytes) + rejects.bytes;
  });
  const sum = sizes.reduce((total, bytes) => total + bytes, 0);
  return isSameDisk ? Math.min(sum, SAVE_BYTES + Math.max(...sizes)) : sum;
}
