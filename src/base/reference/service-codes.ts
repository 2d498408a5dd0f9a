import type { CommandErrorDocs } from './error-doc.ts';

/** Codes of errors with local reports, keys, training, and the start of the service. */
export const serviceCodes = {
  cannot_listen: { exit: [2], cause: 'The address or port cannot be used.', fix: 'Use a free `--port`.' },
  unwritable_home: {
    exit: [2, 75],
    cause: 'The folder of reports and keys cannot be written; 75: its disk is unreachable.',
    fix: 'Set `--home` or `ROWCAST_HOME`.',
  },
  unreadable_home: {
    exit: [2, 75],
    cause: 'The folder of reports and keys cannot be read; 75: its disk is unreachable.',
  },
  no_such_report: { exit: [2, 3], cause: 'There is no such local report.', fix: 'See `rowcast reports`.' },
  no_testing_results: { exit: [2, 3], cause: 'The report was imported.' },
  report_exists: {
    exit: [2],
    cause: 'A report has this ID; for a definition, one that none has trained.',
    fix: 'Give another, or `--if-exists replace` (`--set train.if-exists=replace`).',
  },
  bad_report_id: {
    exit: [2],
    cause: 'Use 1 to 64 letters, digits, `-` and `_`, the first a letter or digit.',
  },
  damaged_report: {
    exit: [2, 3],
    cause: 'Files of a report are damaged.',
    fix: 'Train or import it again with `--if-exists replace`.',
  },
  damaged_model: {
    exit: [2],
    cause: 'The model file of a report is damaged.',
    fix: 'Train or import it again.',
  },
  out_of_memory: {
    exit: [2, 3],
    cause: 'Node.js has too little memory to train or load a model.',
    fix: 'Leave out columns, or set `NODE_OPTIONS=--max-old-space-size=8192`.',
  },
  key_exists: { exit: [2], cause: 'An API key has this name.', fix: 'Use another, or revoke it first.' },
  no_such_key: { exit: [2], cause: 'No API key has this name.', fix: 'See `rowcast keys`.' },
  bad_key_name: { exit: [2], cause: 'The rules are those of `bad_report_id`.' },
  no_such_column: {
    exit: [2],
    cause: 'The history lacks the column of `--predict`.',
    fix: 'Check `--delimiter`, and the columns in the message.',
  },
  other_columns: {
    exit: [2],
    cause: 'A file of the history has other columns than the first.',
    fix: 'Give all the same; their order does not matter.',
  },
  ambiguous_column: { exit: [2], cause: 'Several columns have the name given by `--predict`.' },
  too_few_rows: { exit: [2], cause: 'Too few labelled rows.', fix: 'Add rows.' },
  one_class: { exit: [2], cause: 'Every row has the same label.' },
  too_many_classes: {
    exit: [2],
    cause: 'The column to predict has too many values.',
    fix: 'Merge rare ones, or use `--bins`.',
  },
  numeric_target: {
    exit: [2],
    cause: 'The column to predict holds amounts.',
    fix: 'Leave out `--target classes`, or predict ranges with `--bins`.',
  },
  not_numbers: {
    exit: [2],
    cause: 'The column to predict does not hold numbers, as `--bins` and `--target numbers` need.',
  },
  no_usable_columns: { exit: [2], cause: 'All columns are identifiers, free text, empty or constant.' },
} as const satisfies CommandErrorDocs;

/** Errors of object stores. */
export const storeCodes = {
  no_such_bucket: {
    exit: [2, 3],
    cause: 'There is no such bucket or container.',
    fix: 'Check the URL, `region` and `endpoint`.',
  },
  no_store_credentials: {
    exit: [2, 3],
    cause: "The store's chain of credentials found none.",
    fix: 'Log in with its command, set its variables, or use `--store-options unsigned=true`.',
  },
  store_credentials_expired: {
    exit: [75],
    cause: 'The credentials expired, and there are no newer ones.',
    fix: 'Renew them, then run again.',
  },
  store_access_denied: {
    exit: [2, 3],
    cause: 'The credentials do not allow the request.',
    fix: 'Grant [the permissions](stores.md#credentials-and-permissions).',
  },
  store_unavailable: {
    exit: [75],
    cause: 'The store did not respond for longer than `--max-outage`.',
    fix: 'Run again.',
  },
  store_without_conditions: {
    exit: [2],
    cause: 'The store ignores conditions, so two processes could destroy each other’s output.',
    fix: 'Write to a file, and copy it.',
  },
  too_many_parts: { exit: [3], cause: 'More than 9,999 parts.', fix: '`--restart --part-bytes 128MiB`.' },
} as const satisfies CommandErrorDocs;
