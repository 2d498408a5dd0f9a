import { isDeepStrictEqual } from 'node:util';
import type { PredictionType } from '../../base/contract/predictions.ts';
import type { Description } from '../../base/contract/schemas.ts';
import { RowcastError } from '../../base/errors.ts';
import type { RunValues } from '../../base/options/values/run-values.ts';
import { sanitize } from '../../base/sanitize.ts';
import { type Appended, type AppendedOptions, DEFAULT_PREFIX } from '../../formats/appended.ts';
import type { Layout } from '../../formats/format.ts';

export interface MergeOptions
  extends Partial<Pick<RunValues, 'classes' | 'prefix' | 'probabilities' | 'decimals' | 'threshold'>> {
  layout: Layout;
  report: Pick<Description, 'predicts' | 'classes' | 'numbers' | 'predictionType'>;
  prediction: boolean;
  /** Whether a run may resume only after a whole batch: see `Scorer.dependsOnBatch`. */
  onGrid?: boolean | undefined;
  /** What each prediction consists of, if that was found out for the shards of a run. */
  planned?: PredictionType | undefined;
  /** If the run has written its header already: what was appended to it, and the last byte of the output so far. */
  resumed?: { predictionType: PredictionType; lastByte: number | undefined } | undefined;
}

/**
 * The columns to append for predictions of this type; by default, as options or report name the classes.
 *
 * @returns undefined if nothing says what is predicted
 * @throws RowcastError `duplicate_columns` if two columns of the output would have the same name; `bad_classes`;
 *   `bad_option` for options that such predictions do not have
 */
export function appendedFor(
  options: MergeOptions,
  predictionType = knownPredictionType(options),
): Appended | undefined {
  return predictionType && options.layout.appended(appendedOptionsOf(options, predictionType));
}

/** What is appended, as plain data. */
export function appendedOptionsFor(options: MergeOptions): AppendedOptions | undefined {
  const predictionType = knownPredictionType(options);
  return predictionType && appendedOptionsOf(options, predictionType);
}

/** What is appended for predictions of this type. @throws RowcastError `bad_option` */
export function appendedOptionsOf(options: MergeOptions, predictionType: PredictionType): AppendedOptions {
  const { report, prefix = DEFAULT_PREFIX, prediction, probabilities, decimals, threshold } = options;
  if (predictionType.kind !== 'distribution') {
    checkOptionsOf(predictionType, options);
    const chosen = decimals === undefined ? undefined : { decimals };
    return { predictionType, prefix, prediction: report.predicts, chosen };
  }
  return {
    predictionType,
    prefix,
    // A threshold says how to predict, so there is a prediction.
    prediction: prediction || threshold !== undefined ? (report.predicts ?? 'class') : undefined,
    chosen:
      probabilities === undefined && decimals === undefined && threshold === undefined
        ? undefined
        : { probabilities, decimals, threshold },
  };
}

/** The columns to append for predictions of this type: all but a label or a predicted class are numbers. */
export function columnsToAppend(
  options: MergeOptions,
  predictionType: PredictionType,
): { name: string; isText: boolean }[] {
  const appended = appendedOptionsOf(options, predictionType);
  const names = options.layout.appendedNames(appended);
  const { kind } = predictionType;
  const hasText = kind === 'label' || (kind === 'distribution' && appended.prediction !== undefined);
  return names.map((name, index) => ({ name, isText: hasText && index === names.length - 1 }));
}

/**
 * Checks the first predictions against what options or report announced.
 *
 * @throws RowcastError `bad_option` for an option that such predictions do not have; `wrong_answer` if the report has
 *   classes
 */
export function checkAnnounced(
  options: MergeOptions,
  received: PredictionType,
  announced: PredictionType,
): void {
  if (received.kind === announced.kind) return;
  checkOptionsOf(received, options);
  const before =
    announced.kind === 'distribution' ? 'the report names classes' : `${nameOf(announced)} were expected`;
  throw new RowcastError('wrong_answer', `${before}, but the predictions are ${nameOf(received)}`, {
    severity: 'stopped',
    hint: 'Check that --report is the right one.',
  });
}

/** Options that not all predictions can have, and what they are for. */
const purposes = {
  classes: 'probabilities',
  prediction: 'probabilities',
  probabilities: 'probabilities',
  threshold: 'probabilities',
  decimals: 'numbers',
  prefix: 'several columns',
} as const;

/** @throws RowcastError `bad_option` for an option that is not for such predictions */
function checkOptionsOf(predictionType: PredictionType, options: MergeOptions): void {
  if (predictionType.kind === 'distribution') return;
  const purpose = {
    probabilities: false,
    numbers: predictionType.kind === 'numbers',
    'several columns': predictionType.kind === 'numbers' && predictionType.names.length > 0,
  };
  for (const [name, wanted] of Object.entries(purposes)) {
    const value = options[name as keyof typeof purposes]; // a key of it
    if (purpose[wanted] || value === undefined || value === false) continue;
    throw new RowcastError(
      'bad_option',
      `--${name} is for ${wanted}, but the predictions are ${nameOf(predictionType)}`,
      {
        hint: `Leave out --${name}.${name === 'prediction' ? ' The output has what is predicted without it.' : ''}`,
      },
    );
  }
}

function nameOf(predictionType: PredictionType): string {
  if (predictionType.kind === 'distribution') return 'probabilities';
  if (predictionType.kind === 'label') return 'labels';
  return predictionType.names.length === 0 ? 'single numbers' : 'numbers';
}

function knownPredictionType(options: MergeOptions): PredictionType | undefined {
  const { classes, report, planned, resumed } = options;
  const known = resumed?.predictionType ?? planned ?? report.predictionType ?? numbersOf(report);
  if (known !== undefined) return known;
  if (classes !== undefined) checkClasses(classes, report.classes);
  const names = classes ?? report.classes;
  return names && { kind: 'distribution', classes: names };
}

/** What a report predicts that lists numbers in place of classes. */
const numbersOf = ({ classes, numbers: names }: MergeOptions['report']): PredictionType | undefined =>
  classes === undefined && names !== undefined ? { kind: 'numbers', names } : undefined;

/**
 * Checks that the given classes are those of the report, in any order.
 *
 * @throws RowcastError `bad_classes`
 */
function checkClasses(given: readonly string[], reported: readonly string[] | undefined): void {
  const isSet = given.length > 0 && new Set(given).size === given.length;
  if (isSet && (reported === undefined || isDeepStrictEqual(given.toSorted(), reported.toSorted()))) return;
  throw new RowcastError('bad_classes', `the given classes are: ${sanitize(given.join(', ')) || 'none'}`, {
    hint:
      reported === undefined ? 'Give each class once.' : `The report has: ${sanitize(reported.join(', '))}.`,
  });
}
