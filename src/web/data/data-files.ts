import { readdir, rm, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import * as z from 'zod';
import { RowcastError } from '../../base/errors.ts';
import { sanitize } from '../../base/sanitize.ts';
import { RequestError } from '../../server/problems/problems.ts';
import { readLock } from '../../storage/local/locks/lock-holder.ts';
import { unlessAbsent, unlessMissing } from '../../storage/local/missing.ts';
import { shownError } from '../errors/shown-error.ts';
import { readJson } from '../stored-json.ts';
import { dataSettings } from './settings.ts';

/**
 * Uploaded data: `<home>/data/<id>/` with the bytes as uploaded, meta.json and profile.json. A folder gets this name
 * once it is complete; before and after, its name begins with `.+`.
 */
export const dataFolder = (home: string): string => resolve(home, 'data');

/** Random, so that it cannot be guessed, and a folder name on every file system. */
export const dataId = z.string().regex(/^[0-9a-f]{16}$/);

export const metaFile = 'meta.json';
export const profileFile = 'profile.json';
/** In the folder of an upload in progress: which process it belongs to. */
export const holderFile = 'holder';

/** What may be in the data folder besides complete data. */
export const uploading = '.+upload.';
export const deleted = '.+deleted.';

/** The name decides how a file is read, everywhere. */
const fileNames = ['data.csv', 'data.tsv', 'data.jsonl', 'data.parquet'] as const;

export const dataMeta = z.object({
  id: dataId,
  /** The name of the uploaded file, only to be shown. */
  name: z.string(),
  /** The name of the file with the uploaded bytes, in the same folder. */
  file: z.enum(fileNames),
  /** If it is not that of the file's name. */
  delimiter: z.string().optional(),
  created: z.iso.datetime(),
  /** The name of the key that uploaded it. */
  by: z.string(),
  /** Bytes of the file as uploaded, and of its decompressed content. */
  bytes: z.int().min(0),
  contentBytes: z.int().min(0),
  rows: z.int().min(0),
  columns: z.int().min(0),
  settings: dataSettings,
});
export type DataMeta = z.infer<typeof dataMeta>;

/** The name of an uploaded file as text: its last part, without what a terminal or a page would interpret. */
export function shownName(given: string): string {
  const [last = ''] = given.split(/[/\\]/).slice(-1);
  return sanitize(last) || 'data.csv';
}

export const pathIn = (home: string, id: string, file: string): string => join(dataFolder(home), id, file);

export const noSuchData = (): RequestError =>
  new RequestError('no_such_data', 'There is no such data. It may have been deleted.');

export const damagedData = (): RequestError =>
  new RequestError('damaged_data', 'This data is damaged. Delete it and upload the file again.');

/** What to do on the pages about errors whose hints are for the command line. */
const hints: Readonly<Record<string, string>> = {
  group_too_large: 'Write the file with smaller row groups.',
};

/** An error in an uploaded file, with its name, line and reason. */
function invalidFile(error: RowcastError): RequestError {
  const { file = '', line } = error.location;
  const where = line === undefined ? file : `${file}, line ${line}`;
  const { hint } = shownError(error, hints);
  return new RequestError('invalid_csv', `${where}: ${error.message}.${hint === null ? '' : ` ${hint}`}`);
}

/** An error while an upload is stored, as the response to it. */
export const uploadError = (error: unknown): unknown =>
  error instanceof RowcastError ? invalidFile(error) : error;

/** What is in the data folder: data, uploads in progress, and data that is being deleted. */
const namesIn = async (home: string): Promise<string[]> =>
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
  const read = await readJson(pathIn(home, id, file), shape);
  if (read !== undefined) return read;
  const folder = await stat(join(dataFolder(home), id)).catch(unlessMissing);
  throw folder === undefined ? noSuchData() : damagedData();
}

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
