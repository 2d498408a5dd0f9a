import { typeChoices } from '../contract/limits.ts';
import { inputOptions } from './input.ts';
import type { Option } from './option.ts';
import { storeAccess } from './store.ts';

const { delimiter, quote, types, nulls, names, encoding } = inputOptions;

/** Options of `train`. */
export const trainOptions = {
  predict: { kind: 'text', value: 'COLUMN', common: true, describe: 'the column to predict' },
  report: {
    kind: 'text',
    value: 'ID',
    secondName: 'model',
    common: true,
    describe: 'id of the new report',
    defaultText: 'derived from the file and column names',
  },
  'if-exists': {
    kind: 'text',
    common: true,
    choices: ['fail', 'replace', 'skip', 'skip-unchanged'],
    default: 'fail',
    defaultText: 'fail; in a definition, skip-unchanged for reports of definitions',
    describe:
      'if the report exists: fail, replace it, skip the training, or skip it if history and options are the same',
  },
  target: {
    kind: 'text',
    common: true,
    choices: ['classes', 'numbers'],
    describe: 'whether the values of the column are classes, or numbers that the report predicts as such',
    defaultText: 'numbers if nearly all values are, and more than 20 differ',
  },
  bins: {
    kind: 'integer',
    common: true,
    min: 2,
    max: 20,
    describe: 'predict which of N ranges with about equally many rows a number falls into',
    defaultText: 'none',
  },
  seed: {
    kind: 'integer',
    default: 1,
    min: 0,
    describe: 'random seed for splitting into training and testing rows',
  },
} as const satisfies Record<string, Option>;

/** Options of `import`: what the file of a model does not say. */
export const importOptions = {
  report: { kind: 'text', value: 'ID', common: true, describe: 'id of the new report' },
  predict: {
    kind: 'text',
    value: 'COLUMN',
    common: true,
    describe: 'the name of the column that is predicted',
  },
  classes: {
    kind: 'list',
    common: true,
    describe: 'the classes, in the order of the sorted labels of the training',
    defaultText: 'those of the file, else 0, 1, …',
  },
  features: {
    kind: 'list',
    common: true,
    describe: 'the columns in the order of the training, if the file has only positions',
  },
  categories: {
    kind: 'list',
    repeatable: true,
    common: true,
    value: 'COLUMN=LIST|COLUMN=@FILE',
    describe:
      'the categories of a column in the order of the training, if the file does not have them; repeatable',
  },
  iterations: {
    kind: 'text',
    value: 'best|all|N',
    describe: 'how many iterations of the model to use',
    defaultText: 'as the library does',
  },
  nulls,
  expect: {
    kind: 'path',
    common: true,
    describe:
      'rows with the predictions of the library itself, CSV or Parquet, which the report must give too',
  },
  test: {
    kind: 'path',
    common: true,
    describe: 'labelled rows, CSV or Parquet, for metrics, drivers and testing results; with --predict',
  },
  'if-exists': {
    kind: 'text',
    choices: ['fail', 'replace', 'skip'],
    default: 'fail',
    describe: 'if the report exists: fail, replace it, or keep it and end with 0',
  },
} as const satisfies Record<string, Option>;

/** How the training data is read, and which of its columns the report may use. */
export const historyOptions = {
  features: {
    kind: 'list',
    common: true,
    describe: 'columns that the report may use',
    defaultText: 'all but the predicted one',
  },
  'exclude-features': { kind: 'list', common: true, describe: 'columns that the report must not use' },
  types: { ...types, choices: typeChoices },
  nulls,
  'max-rejects': {
    kind: 'threshold',
    describe: 'leave out up to N malformed rows (or N%)',
    defaultText: '0',
  },
  names,
  encoding,
  delimiter,
  quote,
  escape: inputOptions.escape,
  'skip-lines': inputOptions['skip-lines'],
  ...storeAccess,
  'input-format': inputOptions['input-format'],
  'max-group-bytes': inputOptions['max-group-bytes'],
  'max-record-bytes': inputOptions['max-record-bytes'],
} as const satisfies Record<string, Option>;
