import type { CommandErrorDocs } from './error-doc.ts';

/** Codes of errors in the input: the file itself, its header, and records after which reading cannot continue. */
export const inputCodes = {
  no_such_file: {
    exit: [2, 3],
    cause: 'A file does not exist or cannot be read.',
    fix: 'Paths in a definition are relative to its folder.',
  },
  unreadable_input: {
    exit: [2, 3, 75],
    cause: 'The input is a folder, or it or its shards cannot be read; 75: its disk is unreachable.',
    fix: 'Run all commands of a sharded run as the same user.',
  },
  input_not_ready: {
    exit: [75],
    cause:
      'The input, or the file of `--ready-file`, was not there or not complete within `--wait-for-input`, or it was cut off while another program wrote it.',
    fix: 'Run the same command again. If it should be there, check its name and the program that writes it.',
  },
  input_changed: {
    exit: [3],
    cause: 'The input changed while it was read.',
    fix: 'Once nothing writes to it, score it again, with `--restart` if its size changed.',
  },
  bad_gzip: {
    exit: [2, 3],
    cause: 'The compressed input is damaged or truncated.',
    fix: 'Check it with `gzip -t`; transfer it again.',
  },
  bad_zstd: {
    exit: [2, 3],
    cause: 'The compressed input is damaged or truncated, or something else follows its last frame.',
    fix: 'Check it with `zstd -t`; transfer it again.',
  },
  no_zstd: {
    exit: [2],
    cause: 'Node has no zstd before 22.15, and the program `zstd` is not installed.',
    fix: 'Use a later Node, or install the program.',
  },
  bad_encoding: {
    exit: [2, 3],
    cause: 'The input is invalid in the encoding that `--encoding` names.',
    fix: 'UTF-8 needs none; check that the file is complete.',
  },
  empty_input: {
    exit: [2],
    cause: 'The input has no bytes, or only blank lines and delimiters: not even a header.',
  },
  unsupported_format: {
    exit: [2],
    cause:
      'The input is of a [format or compression](formats.md#what-becomes-of-your-file) that is not read, or has the name of another one.',
    fix: 'Convert it with the command that the message has.',
  },
  needs_file: {
    exit: [2],
    cause: 'The input is Parquet in a pipe, or of `batch-predict`, but Parquet is read from its end.',
    fix: 'Give `rowcast score` the path or the URL of the file.',
  },
  bad_parquet: {
    exit: [2, 3],
    cause: 'The Parquet file is damaged, cut off or encrypted.',
    fix: 'Write or transfer it again.',
  },
  unsupported_column: {
    exit: [2],
    cause:
      'A column of a Parquet file that is needed cannot be written as [text](formats.md#parquet): a list, a map, an interval, or a struct in place of its members.',
    fix: 'Leave it out with `--keep` or `--exclude-features`, name the [member](formats.md#parquet-to-csv-and-json-lines), `profile.zip`, or write Parquet.',
  },
  group_too_large: {
    exit: [2, 3],
    cause:
      'A row group of a Parquet file takes more bytes than `--max-group-bytes`, or a column of one to be written 2 GiB.',
    fix: 'Raise the limit, write the file with smaller groups (`--group-rows`), or pipe its rows as text: `duckdb … | rowcast score -`.',
  },
  bad_header: {
    exit: [2],
    cause:
      'The header is badly quoted or encoded, its names look like values, or the line under it has units or dashes.',
    fix: 'Correct it, or use `--encoding`; without a header line, `--names`.',
  },
  too_many_columns: {
    exit: [2],
    cause:
      'The header has more columns than the limit, or `train` could use more than the 20,000 of a report.',
  },
  other_header: {
    exit: [2, 3],
    cause: 'In the middle of the input is another header, with the same columns in another order.',
    fix: 'Make two files of the input, the second of which begins with this line, or put the columns after it in the order of the first header.',
  },
  malformed_input: {
    exit: [3],
    cause:
      'All of the first rows, or more than half of the first 1,000, are malformed. The output was not replaced.',
    fix: 'Follow the hint; `--max-rejects 100%` rejects them all.',
  },
  record_too_long: {
    exit: [2, 3],
    cause: 'A record exceeds `--max-record-bytes`, so the start of the next one is uncertain.',
    fix: 'If it is intended, raise the limit.',
  },
  unclosed_quote: {
    exit: [2, 3],
    cause: 'A quote is not closed, in the file or within `--max-record-bytes`.',
    fix: 'Close it; without quoting, use `--quote none`.',
  },
  cannot_quote: {
    exit: [2, 3],
    cause: 'With `--quote none`, an appended name or value contains the delimiter or a line break.',
    fix: 'Leave it out, or use another `--delimiter`.',
  },
  missing_columns: {
    exit: [2],
    cause: 'The input lacks columns that the report or `--features` needs.',
    fix: 'Add them, check `--delimiter`, or send them as missing with `--allow-missing`.',
  },
  duplicate_columns: {
    exit: [2],
    cause: 'Two columns sent, or an appended one and one of the input, have the same name.',
    fix: 'Rename one, or use `--prefix`, `--features` or `--exclude-features`.',
  },
  no_columns: {
    exit: [2],
    cause: 'No column would be sent, or those of JSON lines are not known before the first row.',
    fix: 'Check `--features`, `--exclude-features` and `--delimiter`.',
  },
} as const satisfies CommandErrorDocs;
