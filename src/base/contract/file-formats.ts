/** The formats of files, as options call them. */
export const fileFormats = ['csv', 'tsv', 'jsonl', 'parquet'] as const;
