/** The formats of files, as options call them. */
export const fileFormats = ['csv', 'tsv', 'jsonl', 'parquet'] as const;

/**
 * The formats of an upload to POST /user/batch-predict by the media types that say so; the first of each is that of the
 * response.
 */
export const uploadTypes = {
  csv: ['text/csv'],
  jsonl: ['application/x-ndjson', 'application/jsonl'],
} as const;

export type UploadFormat = keyof typeof uploadTypes;

export const uploadFormats = Object.keys(uploadTypes) as readonly UploadFormat[]; // they are the keys

/** Media types of Parquet, which cannot be an upload. */
export const parquetTypes = ['application/vnd.apache.parquet', 'application/x-parquet'] as const;
