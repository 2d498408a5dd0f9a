import { randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import * as z from 'zod';
import { placeFile } from '../storage/local/atomic-write.ts';
import { unlessMissing } from '../storage/local/missing.ts';
import { readRegular } from '../storage/local/read-files.ts';

/** The id of a run or a training; ids sort by the time at which they were made. */
export const timedId = z.string().regex(/^[0-9a-f]{20}$/);

const MILLISECOND_DIGITS = 12;

export const newTimedId = (): string =>
  Date.now().toString(16).padStart(MILLISECOND_DIGITS, '0') + randomBytes(4).toString('hex');

/** The ids in a folder, the newest first; none if the folder does not exist. @param suffix of the names */
export async function timedIds(folder: string, suffix = ''): Promise<string[]> {
  const names = (await readdir(folder).catch(unlessMissing)) ?? [];
  return names
    .flatMap(name => (name.endsWith(suffix) ? [name.slice(0, name.length - suffix.length)] : []))
    .filter(id => timedId.safeParse(id).success)
    .sort()
    .reverse();
}

/** Reads a JSON file; undefined if it does not exist, or is damaged, so that it tells nothing. */
export async function readJson<T>(path: string, shape: z.ZodType<T>): Promise<T | undefined> {
  const text = await readRegular(path).catch(unlessMissing);
  try {
    return text && shape.parse(JSON.parse(text.toString()));
  } catch {
    return undefined;
  }
}

/** Writes a JSON file, in place of the one that is there. */
export const placeJson = (path: string, content: object): Promise<void> =>
  placeFile(path, `${JSON.stringify(content, null, 2)}\n`, 'replace');
