import type { CommandErrorDocs } from './error-doc.ts';

/** Codes of errors with local reports, keys, training, and the start of the service. */
export const serviceCodes = {
  cannot_listen: {
    exit: [2],
    cause: 'The service cannot listen on its address and port.',
    fix: 'Use a free `--port` and an address of this machine.',
  },
  unwritable_home: {
    exit: [2, 75],
    cause: 'The folder of local reports and keys cannot be written; 75 if its disk cannot be reached.',
    fix: 'Set `--home` or `ROWCAST_HOME` to a writable folder.',
  },
  unreadable_home: {
    exit: [2, 75],
    cause: 'The folder of local reports and keys cannot be read; 75 if its disk cannot be reached.',
    fix: 'Correct its permissions, or set `--home` or `ROWCAST_HOME`.',
  },
  no_such_report: {
    exit: [2, 3],
    cause: 'There is no local report with this ID.',
    fix: '`rowcast reports` lists them; `rowcast train` creates one.',
  },
  report_exists: {
    exit: [2],
    cause:
      'There is already a local report with the ID of the one to train; for a definition, one that no definition has trained.',
    fix: 'Use `--if-exists replace` to train it again, in a definition `--set train.if-exists=replace`, or give another ID.',
  },
  bad_report_id: {
    exit: [2],
    cause: 'A report ID has invalid characters or is too long.',
    fix: 'Use 1 to 64 letters, digits, `-` and `_`, starting with a letter or digit.',
  },
  damaged_report: {
    exit: [2, 3],
    cause: 'The files of a local report are damaged or incomplete.',
    fix: 'Train it again with `--if-exists replace`.',
  },
  damaged_model: {
    exit: [2],
    cause: 'The model file of a report is damaged.',
    fix: 'Train the report again with `--if-exists replace`.',
  },
  out_of_memory: {
    exit: [2, 3],
    cause: 'Training, or loading a model, needs more memory than Node allows.',
    fix: 'Leave out columns, or raise the limit, for example `NODE_OPTIONS=--max-old-space-size=8192`.',
  },
  key_exists: {
    exit: [2],
    cause: 'There is already an API key with this name.',
    fix: 'Use another name, or revoke the old key first.',
  },
  no_such_key: {
    exit: [2],
    cause: 'There is no API key with this name.',
    fix: '`rowcast keys` shows the names.',
  },
  bad_key_name: {
    exit: [2],
    cause: 'The name of a key has invalid characters or is too long.',
    fix: 'Use 1 to 64 letters, digits, `-` and `_`, starting with a letter or digit.',
  },
  no_such_column: {
    exit: [2],
    cause: 'The training data has no column with the name given by `--predict`.',
    fix: 'Check the name and `--delimiter`; the message lists the columns.',
  },
  ambiguous_column: {
    exit: [2],
    cause: 'Several columns have the name given by `--predict`.',
    fix: 'Rename all but the one to predict.',
  },
  too_few_rows: {
    exit: [2],
    cause: 'There are too few labelled rows to train and test a model.',
    fix: 'Add rows, or merge rare classes.',
  },
  one_class: {
    exit: [2],
    cause: 'Every row has the same label.',
    fix: 'Add rows of other classes.',
  },
  too_many_classes: {
    exit: [2],
    cause: 'The column to predict has more different values than a report has classes at most.',
    fix: 'Merge rare classes, or predict ranges of numbers with `--bins`.',
  },
  numeric_target: {
    exit: [2],
    cause: 'The column to predict holds amounts, and a report predicts classes.',
    fix: 'Predict ranges with `--bins N`.',
  },
  not_numbers: {
    exit: [2],
    cause: '`--bins` was given for a column that does not hold numbers.',
    fix: 'Leave out `--bins`.',
  },
  no_usable_columns: {
    exit: [2],
    cause: 'No column is usable for training: all are identifiers, free text, empty or constant.',
    fix: 'Add columns that describe the rows; the message says why each was left out.',
  },
} as const satisfies CommandErrorDocs;
