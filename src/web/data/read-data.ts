import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type * as z from 'zod';
import { jsonValue } from '../../base/json-value.ts';
import { unlessAbsent, unlessMissing } from '../../storage/local/missing.ts';
import { readRegular } from '../../storage/local/read-files.ts';
import { damagedData, noSuchData } from './data-errors.ts';
import { dataFolder, dataId, pathIn } from './data-files.ts';

/** What is in the data folder: data, uploads in progress, and data that is being deleted. */
export const namesIn = async (home: string): Promise<string[]> =>
  (await readdir(dataFolder(home)).catch(unlessAbsent)) ?? [];

/** The ids of all complete data. */
export const dataIds = async (home: string): Promise<string[]> =>
  (await namesIn(home)).filter(name => dataId.safeParse(name).success);

/**
 * Reads one of the JSON files of uploaded data.
 *
 * @throws RequestError `no_such_data`, `damaged_data`
 */
export async function readDataFile<T>(
  home: string,
  id: string,
  file: string,
  shape: z.ZodType<T>,
): Promise<T> {
  if (!dataId.safeParse(id).success) throw noSuchData();
  const text = (await readRegular(pathIn(home, id, file)).catch(unlessMissing))?.toString();
  if (text === undefined) {
    const folder = await stat(join(dataFolder(home), id)).catch(unlessMissing);
    throw folder === undefined ? noSuchData() : damagedData();
  }
  const read = shape.safeParse(jsonValue(text));
  if (!read.success) throw damagedData();
  return read.data;
}
