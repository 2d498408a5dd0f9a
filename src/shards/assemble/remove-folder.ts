import * as z from 'zod';
import type { SharedFolder } from '../../storage/shared-folder.ts';
import { ASSEMBLED } from '../folder/names.ts';
import { readRecord } from '../folder/read-record.ts';

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
