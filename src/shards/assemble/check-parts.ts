import { RowcastError } from '../../base/errors.ts';
import { runFilesOf } from '../../runs/paths/run-files.ts';
import type { Files } from '../../storage/durable-files.ts';
import { verifyCommitted } from '../../storage/local/verify-committed.ts';
import { doneName } from '../folder/names.ts';
import type { SharedFolder } from '../folder/shared-folder.ts';
import { unfinished } from './check-complete.ts';
import type { Part } from './file-parts.ts';

/**
 * Checks that parts are whole. The result of one that is not is withdrawn, so that its shard is scored again.
 *
 * @throws RowcastError `unfinished_shards`
 */
export async function checkParts(
  folder: SharedFolder,
  files: Files,
  parts: readonly Part[],
  workCommand: (shard: number) => string,
): Promise<void> {
  for (const part of parts) {
    if (await isWhole(files, part)) continue;
    await folder.remove(doneName(part.shard));
    throw unfinished(
      part.path,
      `the part of shard ${part.shard} is gone or damaged; the shard must be scored again`,
      `Run: ${workCommand(part.shard)}`,
    );
  }
}

async function isWhole(files: Files, { path, result }: Part): Promise<boolean> {
  if ((await files.size(path)) === undefined) return false;
  try {
    await verifyCommitted(files, path, result.output);
    await verifyCommitted(files, runFilesOf(path).rejects, result.rejects);
    return true;
  } catch (error) {
    if (error instanceof RowcastError) return false;
    throw error;
  }
}
