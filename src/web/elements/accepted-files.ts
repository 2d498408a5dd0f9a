/** The files that the choosers of a browser offer. */
export const accepted = [
  ...['.csv', '.tsv', '.txt', '.jsonl', '.ndjson', '.parquet', '.pq', '.gz', '.zst'],
  ...['text/csv', 'text/tab-separated-values', 'application/x-ndjson', 'application/vnd.apache.parquet'],
  ...['application/gzip', 'application/zstd'],
].join(',');
