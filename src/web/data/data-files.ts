import { join, resolve } from 'node:path';
import * as z from 'zod';
import { sanitize } from '../../base/sanitize.ts';
import { dataSettings } from './settings.ts';

/**
 * Uploaded data: `<home>/data/<id>/` with the bytes as uploaded, meta.json and profile.json. A folder gets this name once
 * it is complete; before and after, its name begins with `.+`.
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
