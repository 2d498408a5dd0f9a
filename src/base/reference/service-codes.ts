import type { CommandErrorDocs } from './error-doc.ts';

/** Codes of errors with local reports, keys, training, and the start of the service. */
export const serviceCodes = {
  cannot_listen: {
    exit: [2],
    cause: 'The service cannot listen on its address and port.',
    fix: 'Use a free `--port`, and a local address.',
  },
  unwritable_home: {
    exit: [2, 75],
    cause: 'The folder of reports and keys cannot be written; 75: its disk is unreachable.',
    fix: 'Set `--home` or `ROWCAST_HOME`.',
  },
  unreadable_home: {
    exit: [2, 75],
    cause: 'The folder of reports and keys cannot be read; 75: its disk is unreachable.',
  },
  no_such_report: {
    exit: [2, 3],
    cause: 'There is no local report with this ID.',
    fix: 'See `rowcast reports`.',
  },
  report_exists: {
    exit: [2],
    cause: 'A local report has this ID; for a definition, one that no definition has trained.',
    fix: 'Give another, or `--if-exists replace` (in a definition, `--set train.if-exists=replace`).',
  },
  bad_report_id: {
    exit: [2],
    cause: 'A report ID has invalid characters or is too long.',
    fix: 'Use 1 to 64 letters, digits, `-` and `_`, the first a letter or digit.',
  },
  damaged_report: {
    exit: [2, 3],
    cause: 'The files of a local report are damaged or incomplete.',
    fix: 'Train it again with `--if-exists replace`.',
  },
  damaged_model: {
    exit: [2],
    cause: 'The model file of a report is damaged.',
    fix: 'Train it again likewise.',
  },
  out_of_memory: {
    exit: [2, 3],
    cause: 'Training, or loading a model, needs more memory than Node.js allows.',
    fix: 'Leave out columns, or set `NODE_OPTIONS=--max-old-space-size=8192`.',
  },
  key_exists: { exit: [2], cause: 'An API key has this name.', fix: 'Use another, or revoke it first.' },
  no_such_key: { exit: [2], cause: 'No API key has this name.', fix: 'See `rowcast keys`.' },
  bad_key_name: {
    exit: [2],
    cause: 'The name of a key has invalid characters or is too long.',
    fix: 'The rules are those of `bad_report_id`.',
  },
  no_such_column: {
    exit: [2],
    cause: 'The training data lacks the column of `--predict`.',
    fix: 'Check `--delimiter`, and the columns in the message.',
  },
  other_columns: {
    exit: [2],
    cause: 'A file of the training data has other columns than the first one.',
    fix: 'Give all files the same columns; their order does not matter.',
  },
  ambiguous_column: { exit: [2], cause: 'Several columns have the name given by `--predict`.' },
  too_few_rows: {
    exit: [2],
    cause: 'There are too few labelled rows to train and test.',
    fix: 'Add rows.',
  },
  one_class: { exit: [2], cause: 'Every row has the same label.' },
  too_many_classes: {
    exit: [2],
    cause: 'The column to predict has more values than a report can have classes.',
    fix: 'Merge rare ones, or use `--bins`.',
  },
  numeric_target: {
    exit: [2],
    cause: 'The column to predict holds amounts, not classes.',
    fix: 'Predict ranges with `--bins`.',
  },
  not_numbers: { exit: [2], cause: 'The column of `--bins` does not hold numbers.' },
  no_usable_columns: {
    exit: [2],
    cause: 'All columns are identifiers, free text, empty or constant; the message says which is what.',
  },
} as const satisfies CommandErrorDocs;
