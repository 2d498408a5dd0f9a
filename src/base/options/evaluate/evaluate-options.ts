import { inputOptions } from '../input.ts';
import { summaryOptions } from '../observability.ts';
import type { Option } from '../option.ts';
import { appendedOptions } from '../output.ts';
import { reportOption } from '../service.ts';
import { storeAccess } from '../store.ts';
import { historyOptions } from '../train.ts';

const { delimiter, quote, encoding } = inputOptions;

/** The scored files, as an argument or a key of `evaluate`. */
export const scoredPositional = {
  kind: 'path',
  describe: "scored files, folders of outputs and quoted patterns ('scored/2026-10-*.parquet'); - is stdin",
  repeatable: true,
} as const satisfies Option;

/** What is joined, and compared. */
export const evaluateOptions = {
  labels: {
    kind: 'path',
    repeatable: true,
    common: true,
    describe: 'file of what came true, or several; - is stdin',
    defaultText: 'the scored files have the column',
  },
  key: {
    kind: 'list',
    common: true,
    describe: 'columns of both sides whose exact values say which label is whose',
  },
  'by-row': {
    kind: 'boolean',
    common: true,
    default: false,
    describe: 'labels have the rows of the scored files, in their order',
  },
  predict: {
    kind: 'text',
    value: 'COLUMN',
    common: true,
    describe: 'the column with what came true',
    defaultText: 'what the report predicts',
  },
  by: {
    kind: 'list',
    common: true,
    describe: 'columns of the scored files, each value of which is evaluated on its own',
  },
  earlier: { kind: 'path', common: true, describe: 'the --summary of another evaluation, to compare with' },
  report: { ...reportOption.report, describe: 'local report, whose testing figures are shown beside' },
} as const satisfies Record<string, Option>;

/** Limits beyond which the exit code is 3. */
export const evaluateLimits = {
  'min-auc': {
    kind: 'number',
    min: 0,
    max: 1,
    common: true,
    describe: 'end with 3 if the AUC is less',
    defaultText: 'none',
  },
  'max-log-loss': {
    kind: 'number',
    min: 0,
    common: true,
    describe: 'end with 3 if the log loss is more',
    defaultText: 'none',
  },
  'max-calibration-error': {
    kind: 'threshold',
    value: 'N%',
    common: true,
    describe: 'end with 3 if predicted and actual shares differ by more on average',
    defaultText: 'none',
  },
} as const satisfies Record<string, Option>;

/** Files that an evaluation writes. */
export const evaluateOutputs = {
  html: { kind: 'path', common: true, describe: 'write a web page with charts' },
  summary: { ...summaryOptions.summary, describe: 'write the evaluation as JSON, for --earlier' },
  metrics: summaryOptions.metrics,
} as const satisfies Record<string, Option>;

/** How the files are read. */
export const evaluateInputs = {
  prefix: { ...appendedOptions.prefix, describe: 'the --prefix that the run had' },
  classes: {
    ...appendedOptions.classes,
    common: false,
    describe: 'the classes, if columns do not name each, or if predicted_COLUMN is a class',
    defaultText: 'what the columns tell',
  },
  nulls: { ...inputOptions.nulls, describe: 'labels that are missing, in addition to the empty one' },
  'max-rejects': historyOptions['max-rejects'],
  encoding,
  delimiter,
  quote,
  escape: inputOptions.escape,
  'skip-lines': inputOptions['skip-lines'],
  'input-format': inputOptions['input-format'],
  'max-group-bytes': inputOptions['max-group-bytes'],
  'max-record-bytes': historyOptions['max-record-bytes'],
  ...storeAccess,
} as const satisfies Record<string, Option>;

/** All of them. */
export const evaluateTable = {
  ...evaluateOptions,
  ...evaluateLimits,
  ...evaluateOutputs,
  ...evaluateInputs,
} as const;
