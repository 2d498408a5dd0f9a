import { isDeepStrictEqual } from 'node:util';
import { readCheckpoint } from '../../runs/checkpoint/checkpoint.ts';
import { localPath } from '../../runs/paths/local-path.ts';
import type { LockedPaths } from '../../runs/paths/lock-paths.ts';
import { runFilesOf } from '../../runs/paths/run-files.ts';
import type { Files } from '../../storage/durable-files.ts';
import { joinedName } from '../folder/names.ts';
import type { ShardPlan } from '../folder/plan-shape.ts';
import type { SharedFolder } from '../folder/shared-folder.ts';
import type { FileParts, Part } from './file-parts.ts';
import { coveredParts, joinFingerprint } from './join-state.ts';

/** An output whose lock is held, and the parts that are not in it yet. */
export interface PendingFile {
  file: FileParts;
  locked: LockedPaths;
  parts: readonly Part[];
}

/**
 * Which parts an earlier process has not joined.
 *
 * @throws RowcastError `bad_checkpoint`; `usage` for an output that is no local file
 */
export async function pendingFile(
  { folder, plan, files }: { folder: SharedFolder; plan: ShardPlan; files: Files },
  file: FileParts,
  locked: LockedPaths,
): Promise<PendingFile> {
  const { checkpoint, partial } = runFilesOf(localPath(locked.output, 'shards need'), locked.rejects?.path);
  const pending = (from: number): PendingFile => ({ file, locked, parts: file.parts.slice(from) });
  if ((await folder.read(joinedName(file.index))) !== undefined) return pending(file.parts.length);
  const text = await files.read(checkpoint);
  if (text === undefined) return pending(0);
  const { fingerprint, rowCounts } = readCheckpoint(text.toString(), checkpoint);
  if (!isDeepStrictEqual(fingerprint, joinFingerprint(plan, file, locked.relativeRejects))) return pending(0);
  const covered = coveredParts(file.parts, rowCounts.bytesIn);
  // Killed before its first part was renamed.
  const isRenamed = covered !== 1 || (await files.size(partial)) !== undefined;
  return pending(isRenamed ? covered : 0);
}
