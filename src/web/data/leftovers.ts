import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { readLock } from '../../storage/local/locks/lock-holder.ts';
import { unlessMissing } from '../../storage/local/missing.ts';
import { dataFolder, deleted, holderFile, pathIn, uploading } from './data-files.ts';
import { namesIn } from './read-data.ts';

/** A folder without a holder is that of an upload that is just starting, unless it is older than this. */
const STARTING_MS = 60_000;

/** Removes what a killed process left: data that it was deleting or receiving. @returns the number of uploads */
export async function removeLeftovers(home: string): Promise<number> {
  let uploads = 0;
  for (const name of await namesIn(home)) {
    const isUpload = name.startsWith(uploading);
    if (!name.startsWith(deleted) && !(isUpload && (await hasEnded(home, name)))) continue;
    await rm(join(dataFolder(home), name), { recursive: true, force: true });
    if (isUpload) uploads++;
  }
  return uploads;
}

/** Whether the process of an upload has ended. */
async function hasEnded(home: string, name: string): Promise<boolean> {
  const holder = await readLock(pathIn(home, name, holderFile));
  if (holder !== undefined) return !holder.isHeld;
  const folder = await stat(join(dataFolder(home), name)).catch(unlessMissing);
  return folder !== undefined && Date.now() - folder.mtimeMs > STARTING_MS;
}
