import { isDeepStrictEqual } from 'node:util';
import { readCheckpoint } from '../../runs/checkpoint/checkpoint.ts';
import type { LockedPaths } from '../../runs/paths/lock-paths.ts';
import { runFilesOf } from '../../runs/paths/run-files.ts';
import type { Files } from '../../storage/durable-files.ts';
import type { SharedFolder } from '../../storage/shared-folder.ts';
import { joinedName } from '../folder/names.ts';
import type { ShardPlan } from '../folder/plan-shape.ts';
import type { FileParts, Part } from './file-parts.ts';
import { coveredParts, joinFingerprint } from './join-state.ts';
import { joinedOutput } from './joined-output.ts';

/** An output whose lock is held, and the parts that are not in it yet. */
export interface PendingFile {
  file: FileParts;
  locked: LockedPaths;
  parts: readonly Part[];
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
