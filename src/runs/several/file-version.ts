import { stat } from 'node:fs/promises';
import type * as z from 'zod';
import type { versionShape } from './ledger-file.ts';

/** What tells a changed file from an unchanged one. */
export type FileVersion = z.infer<typeof versionShape>;

/** @returns undefined if there is no such file */
export async function versionOf(path: string): Promise<FileVersion | undefined> {
  const found = await stat(path).catch(() => undefined);
  return found && { size: found.size, modified: found.mtimeMs };
}
