import type { CommandErrorDocs } from './error-doc.ts';

/** Codes of errors in the input: the file itself, its header, and records after which reading cannot continue. */
export const inputCodes = {
  no_such_file: {
    exit: [2, 3],
    cause: 'A file does not exist or cannot be read.',
  },
  unreadable_input: {
    exit: [2, 3, 75],
    cause: 'The input is a folder, or cannot be read.',
  },
  input_not_ready: {
    exit: [75],
    cause: 'The input was not complete within `--wait-for-input`.',
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
    fix: 'Transfer it again.',
  },
  bad_zstd: {
    exit: [2, 3],
    cause: 'The input is damaged, cut off, or followed by something else.',
    fix: 'Transfer it again.',
  },
  no_zstd: { exit: [2], cause: 'Neither Node (from 22.15 on) nor a program `zstd` can read zstd.' },
  bad_encoding: { exit: [2, 3], cause: 'The input is invalid in its `--encoding`; UTF-8 needs none.' },
  empty_input: { exit: [2], cause: 'The input has no bytes, or only blank lines and delimiters.' },
  unsupported_format: {
    exit: [2],
    cause: 'A [format](formats.md#what-becomes-of-your-file) that is not read, or the name of another one.',
    fix: 'Use the command in the message.',
  },
  bad_model: {
    exit: [2],
    cause: 'A model file is damaged, cut off or contradicts itself.',
    fix: 'Save or transfer it again.',
  },
  unsupported_model: {
    exit: [2],
    cause: 'A model cannot be predicted exactly, or the file is no model that is read.',
    fix: 'Save it as the message says.',
  },
  differs_from_expected: {
    exit: [2],
    cause: 'An imported model does not give the predictions that `--expect` has.',
    fix: 'Check `--features`, `--categories` and `--classes`.',
  },
  no_predictions: {
    exit: [2],
    cause: 'A file to evaluate has no columns that `score` writes.',
    fix: 'Give the `--prefix` or `--classes`.',
  },
  other_row_count: { exit: [2], cause: 'With `--by-row`, labels are more or fewer than scored rows.' },
  bad_evaluation: { exit: [2], cause: 'The file of `--earlier` is no summary of `rowcast evaluate`.' },
  needs_file: {
    exit: [2],
    cause: 'Parquet cannot be a pipe.',
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
    fix: 'Leave it out, name a member (`profile.zip`), or write Parquet.',
  },
  group_too_large: {
    exit: [2, 3],
    cause: 'A row group exceeds `--max-group-bytes`, or a column to be written 2 GiB.',
    fix: 'Raise it, or write smaller groups (`--group-rows`).',
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
    cause: 'Most of the first rows are malformed.',
    fix: 'Follow the hint, or reject them: `--max-rejects 100%`.',
  },
  record_too_long: {
    exit: [2, 3],
    cause: 'A record exceeds `--max-record-bytes`.',
    fix: 'Close its quote, or raise the limit.',
  },
  unclosed_quote: {
    exit: [2, 3],
    cause: 'A quote is not closed.',
    fix: 'Close it; without quoting, `--quote none`.',
  },
  cannot_quote: {
    exit: [2, 3],
    cause: 'An appended field needs quotes, with `--quote none`.',
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
    fix: 'Rename one, or use `--prefix` or `--features`.',
  },
  no_columns: {
    exit: [2],
    cause: 'No column would be sent, or those of JSON lines are not known.',
    fix: 'Check `--features` and `--delimiter`.',
  },
} as const satisfies CommandErrorDocs;
