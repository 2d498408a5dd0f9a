import type { CommandErrorDocs } from './error-doc.ts';

/** Codes of errors in the input: the file itself, its header, and records after which reading cannot continue. */
export const inputCodes = {
  no_such_file: {
    exit: [2, 3],
    cause: 'A file that the command reads does not exist or cannot be read.',
    fix: 'Check the path. Paths in a definition are relative to its folder.',
  },
  unreadable_input: {
    exit: [2, 3, 75],
    cause:
      'The input is a folder, or reading it, or the folder of its shards, failed; 75 if its disk cannot be reached.',
    fix: 'Give a CSV file, and check its permissions and its disk. All commands of a run in shards must run as the same user.',
  },
  input_changed: {
    exit: [3],
    cause: 'The input file changed while it was read.',
    fix: 'Wait until nothing writes to it, then score it again: with `--restart` if its size has changed.',
  },
  bad_gzip: {
    exit: [2, 3],
    cause: 'The compressed input is damaged or truncated.',
    fix: 'Check it with `gzip -t`, and transfer it again.',
  },
  bad_encoding: {
    exit: [2, 3],
    cause:
      'The input is not valid in the encoding that `--encoding` names, such as UTF-8 that is said to be UTF-16.',
    fix: 'Name the right encoding, none for UTF-8, and check that the file is complete.',
  },
  empty_input: {
    exit: [2],
    cause: 'The input has no bytes, not even a header.',
    fix: 'Check the command or job that writes it.',
  },
  not_csv: {
    exit: [2],
    cause:
      'The file is not CSV: by its first bytes it is compressed with zstd, xz or bzip2, a zip archive, Parquet or JSON.',
    fix: 'Make CSV of it in a pipe, as the message shows, for example `zstd -dc FILE | rowcast score - …`.',
  },
  bad_header: {
    exit: [2],
    cause:
      'The header is malformed: bad quoting, invalid UTF-8, or another encoding; or all its names look like values, so it is probably a row.',
    fix: 'Correct the header. Name another encoding with `--encoding`, and the columns of a file without a header line with `--names`.',
  },
  too_many_columns: {
    exit: [2],
    cause: 'The header has more columns than the limit.',
    fix: 'Keep only the columns that are needed.',
  },
  record_too_long: {
    exit: [2, 3],
    cause: 'A record is longer than `--max-record-bytes`, so where the next one begins is uncertain.',
    fix: 'Look at the line that the message names. If the record is intended, raise `--max-record-bytes`.',
  },
  unclosed_quote: {
    exit: [2, 3],
    cause: 'A quoted field is not closed before the end of the file or within `--max-record-bytes`.',
    fix: 'Close the quote on the line that the message names, or use `--quote none` for a file without quoting.',
  },
  cannot_quote: {
    exit: [2, 3],
    cause: 'With `--quote none`, an appended name or value contains the delimiter or a line break.',
    fix: 'Leave out `--quote none`, or use another `--delimiter`.',
  },
  missing_columns: {
    exit: [2],
    cause: 'The input lacks columns that the report or `--features` needs.',
    fix: 'Add them, check `--delimiter`, or use `--allow-missing` to send them as missing values.',
  },
  duplicate_columns: {
    exit: [2],
    cause:
      'Two columns that are sent have the same name, or an appended column has the name of one in the input.',
    fix: 'Rename one, leave it out with `--exclude-features` or `--features`, or use another `--prefix`.',
  },
  no_columns: {
    exit: [2],
    cause: 'No column of the input would be sent.',
    fix: 'Check `--features`, `--exclude-features` and `--delimiter`.',
  },
} as const satisfies CommandErrorDocs;
