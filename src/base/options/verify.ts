import { inputOptions } from './input.ts';
import type { Option } from './option.ts';
import { appendedOptions, columnOptions } from './output.ts';
import { callOptions, outageOptions, reportOption } from './service.ts';
import { storeAccess } from './store.ts';

const { delimiter, quote, names, encoding } = inputOptions;
const { keep, rename } = columnOptions;
const { prefix, probabilities, decimals, threshold } = appendedOptions;

/** The options of a run that decide what its output has; the classes are known only where it is predicted again. */
type ShapeName = keyof typeof columnOptions | Exclude<keyof typeof appendedOptions, 'classes'> | 'kind';

/** Those options, each of which `verify` and `repair` need to know. */
export const shapeOptions = {
  keep,
  rename,
  'output-header': columnOptions['output-header'],
  prefix: { ...prefix, describe: 'the --prefix that the run had' },
  kind: {
    kind: 'text',
    choices: ['distribution', 'label', 'numbers'],
    describe: 'what each prediction is: prediction.kind of the summary',
    defaultText: 'a label or number if only one column was appended, else a distribution',
  },
  prediction: {
    kind: 'boolean',
    describe: 'whether predicted_<column> was appended to probabilities',
    defaultText: 'what the columns tell',
  },
  probabilities,
  decimals,
  threshold,
} as const satisfies Record<ShapeName, Option>;

/** Options of `verify`. */
export const verifyOptions = {
  rejects: {
    kind: 'path',
    common: true,
    describe: 'the rejects file of the run',
    defaultText: 'OUTPUT.rejects, if it exists',
  },
  limit: { ...inputOptions.limit, describe: 'the --limit that the run had', defaultText: 'none' },
  ...shapeOptions,
  ...storeAccess,
  nulls: { ...inputOptions.nulls, describe: 'the --nulls of the run or report, for a Parquet output' },
  names,
  encoding,
  delimiter,
  quote,
  escape: inputOptions.escape,
  'skip-lines': inputOptions['skip-lines'],
  'input-format': inputOptions['input-format'],
  'max-group-bytes': inputOptions['max-group-bytes'],
  'max-record-bytes': inputOptions['max-record-bytes'],
} as const satisfies Record<string, Option>;

/** Options of `verify --sample`: what predicts, and what it gets. */
export const sampleOptions = {
  sample: {
    kind: 'integer',
    min: 1,
    max: 100_000,
    common: true,
    describe: 'predict N rows again, and compare',
    defaultText: 'none',
  },
  ...reportOption,
  ...callOptions,
  custom: outageOptions.custom,
  'max-outage': outageOptions['max-outage'],
  features: inputOptions.features,
  'exclude-features': inputOptions['exclude-features'],
  predict: inputOptions.predict,
  types: inputOptions.types,
  missing: inputOptions.missing,
  'allow-missing': inputOptions['allow-missing'],
  classes: appendedOptions.classes,
} as const satisfies Record<string, Option>;
