import type { CommandErrorDocs } from './error-doc.ts';

/** Codes of errors in the input: the file itself, its header, and records after which reading cannot continue. */
export const inputCodes = {
  no_such_file: {
    exit: [2, 3],
    cause: 'A file does not exist or cannot be read; paths in a definition are relative to its folder.',
  },
  unreadable_input: {
    exit: [2, 3, 75],
    cause: 'The input is a folder or cannot be read; 75: its disk is unreachable.',
  },
  input_not_ready: {
    exit: [75],
    cause: 'The input, or its `--ready-file`, was not complete within `--wait-for-input`.',
    fix: 'Run again; check its name.',
  },
  input_changed: {
    exit: [3],
    cause: 'The input changed while it was read.',
    fix: 'Score it again, with `--restart` if its size changed.',
  },
  bad_gzip: {
    exit: [2, 3],
    cause: 'The input is damaged or cut off.',
    fix: 'Check it with `gzip -t`; transfer it again.',
  },
  bad_zstd: {
    exit: [2, 3],
    cause: 'The input is damaged, cut off, or followed by something else.',
    fix: 'Check it with `zstd -t`; transfer it again.',
  },
  no_zstd: { exit: [2], cause: 'Node before 22.15 has no zstd, and the program `zstd` is not installed.' },
  bad_encoding: { exit: [2, 3], cause: 'The input is invalid in its `--encoding`; UTF-8 needs none.' },
  empty_input: { exit: [2], cause: 'The input has no bytes, or only blank lines and delimiters.' },
  unsupported_format: {
    exit: [2],
    cause:
      'A [format or compression](formats.md#what-becomes-of-your-file) that is not read, or the name of another one.',
    fix: 'Use the command in the message.',
  },
  bad_model: {
    exit: [2],
    cause: 'A model file of another library is damaged, cut off or contradicts itself.',
    fix: 'Save the model again; transfer it again.',
  },
  unsupported_model: {
    exit: [2],
    cause:
      'A model of another library has something that cannot be predicted exactly, or the file is no model that is read.',
    fix: 'Save the model as the message says.',
  },
  differs_from_expected: {
    exit: [2],
    cause: 'An imported model does not give the predictions that `--expect` has, so no report was made.',
    fix: 'Check `--features`, `--categories` and `--classes`.',
  },
  no_predictions: {
    exit: [2],
    cause: 'A file to evaluate has no columns that `score` writes.',
    fix: 'Give the `--prefix` of the run; `--classes` if columns do not name each class.',
  },
  other_row_count: { exit: [2], cause: 'With `--by-row`, there are more or fewer labels than scored rows.' },
  no_matches: { exit: [2], cause: 'No label of an evaluation belongs to a scored row with a prediction.' },
  bad_evaluation: { exit: [2], cause: 'The file of `--earlier` is no summary of `rowcast evaluate`.' },
  needs_file: {
    exit: [2],
    cause: 'Parquet is read from its end, so it cannot be a pipe.',
    fix: 'Give its path or URL.',
  },
  bad_parquet: {
    exit: [2, 3],
    cause: 'The file is damaged, cut off or encrypted.',
    fix: 'Write or transfer it again.',
  },
  unsupported_column: {
    exit: [2],
    cause: 'A column of Parquet cannot be [text](formats.md#parquet-to-csv-and-json-lines).',
    fix: 'Leave it out (`--keep`, `--exclude-features`), name a member (`profile.zip`), or write Parquet.',
  },
  group_too_large: {
    exit: [2, 3],
    cause: 'A row group exceeds `--max-group-bytes`, or a column to be written 2 GiB.',
    fix: 'Raise the limit, or write smaller groups (`--group-rows`).',
  },
  bad_header: {
    exit: [2],
    cause: 'The header is badly quoted or encoded, looks like values, or has units under it.',
    fix: 'Correct it; without a header, `--names`.',
  },
  too_many_columns: { exit: [2], cause: 'More columns than the limit, or than the 20,000 of a report.' },
  other_header: {
    exit: [2, 3],
    cause: 'A second header has the columns in another order.',
    fix: 'Make two files, or one order.',
  },
  malformed_input: {
    exit: [3],
    cause: 'Most of the first rows are malformed; the output was not replaced.',
    fix: 'Follow the hint; `--max-rejects 100%` rejects them.',
  },
  record_too_long: {
    exit: [2, 3],
    cause: 'A record exceeds `--max-record-bytes`, so the next one is uncertain.',
    fix: 'If it is intended, raise the limit.',
  },
  unclosed_quote: {
    exit: [2, 3],
    cause: 'A quote is not closed.',
    fix: 'Close it; without quoting, `--quote none`.',
  },
  cannot_quote: {
    exit: [2, 3],
    cause: 'An appended field needs quotes, but `--quote none` has none.',
    fix: 'Leave it out, or use another `--delimiter`.',
  },
  missing_columns: {
    exit: [2],
    cause: 'Columns of the report or `--features` are missing.',
    fix: 'Add them, check `--delimiter`, or use `--allow-missing`.',
  },
  duplicate_columns: {
    exit: [2],
    cause: 'Two columns that are sent or written have one name.',
    fix: 'Rename one, or use `--prefix`, `--features` or `--exclude-features`.',
  },
  no_columns: {
    exit: [2],
    cause: 'No column would be sent, or those of JSON lines are not known.',
    fix: 'Check `--features`, `--exclude-features` and `--delimiter`.',
  },
} as const satisfies CommandErrorDocs;
