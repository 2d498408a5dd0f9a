import { runOutputsOf } from '../../runs/paths/run-files.ts';
import type { Backends } from '../../storage/backends.ts';
import type { Files } from '../../storage/durable-files.ts';
import type { SharedFolder } from '../../storage/shared-folder.ts';
import { doneName } from '../folder/names.ts';
import { partOutput } from '../folder/part-output.ts';
import { unfinished } from './check-complete.ts';
import type { Part } from './file-parts.ts';

/** Where parts are. */
export interface PartPlaces {
  /** Reads parts that are local files. */
  files: Files;
  backends: Backends;
}

/**
 * Checks that parts are whole. The result of one that is not is withdrawn, so that its shard is scored again.
 *
 * @throws RowcastError `unfinished_shards`
 */
export async function checkParts(
  folder: SharedFolder,
  { files, backends }: PartPlaces,
  parts: readonly Part[],
  workCommand: (shard: number) => string,
): Promise<void> {
  for (const part of parts) {
    if (await isWhole(part, backends, files)) continue;
    await folder.remove(doneName(part.shard));
    throw unfinished(
      part.path,
      `the part of shard ${part.shard} is gone or damaged; the shard must be scored again`,
      `Run: ${workCommand(part.shard)}`,
    );
  }
}

async function isWhole({ path, result }: Part, among: Backends, files: Files): Promise<boolean> {
  const { output, rejects } = runOutputsOf(await partOutput(path, among, files));
  return (await output.isPublished(result.output)) && (await rejects.isPublished(result.rejects));
}
