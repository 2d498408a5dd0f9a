import type { PredictionType } from '../../base/contract/predictions.ts';
import type { LooseReport } from '../../base/contract/schemas.ts';
import { RowcastError } from '../../base/errors.ts';
import type { Appended, AppendedOptions, ChosenProbabilities } from '../../formats/appended.ts';
import type { Layout } from '../../formats/format.ts';
import { checkClasses } from './check-classes.ts';

export interface MergeOptions {
  layout: Layout;
  report: Pick<LooseReport, 'predicts' | 'classes'>;
  /** Classes in output column order; overrides the report. */
  classes?: readonly string[] | undefined;
  prefix: string;
  prediction: boolean;
  probabilities?: ChosenProbabilities['probabilities'];
  decimals?: number | undefined;
  threshold?: ChosenProbabilities['threshold'];
  /** Whether a run may resume only after a whole batch: see `Scorer.dependsOnBatch`. */
  onGrid?: boolean | undefined;
  /** If the run has written its header already: what was appended to it, and the last byte of the output so far. */
  resumed?: { predictionType: PredictionType; lastByte: number | undefined } | undefined;
}

/**
 * The columns to append for predictions of this type; by default, as options or report name the classes.
 *
 * @returns undefined if nothing says what is predicted
 * @throws RowcastError `duplicate_columns` if two columns of the output would have the same name; `bad_classes`;
 *   `bad_option` for options that only a distribution has
 */
export function appendedFor(
  options: MergeOptions,
  predictionType = knownPredictionType(options),
): Appended | undefined {
  return predictionType && options.layout.appended(appendedOptions(options, predictionType));
}

/** What is appended, as plain data. */
export function appendedOptionsFor(options: MergeOptions): AppendedOptions | undefined {
  const predictionType = knownPredictionType(options);
  return predictionType && appendedOptions(options, predictionType);
}

/** What is appended for predictions of this type. @throws RowcastError `bad_option` */
export function appendedOptions(options: MergeOptions, predictionType: PredictionType): AppendedOptions {
  const { report, prefix, prediction, probabilities, decimals, threshold } = options;
  if (predictionType.kind !== 'distribution') {
    checkNoProbabilities(options, predictionType);
    return { predictionType, prefix, prediction: report.predicts };
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

/**
 * Checks the first predictions against what options or report announced.
 *
 * @throws RowcastError `bad_option` for an option that only probabilities have; `wrong_answer` if the report has classes
 */
export function checkAnnounced(
  options: MergeOptions,
  received: PredictionType,
  announced: PredictionType,
): void {
  if (received.kind === announced.kind) return;
  checkNoProbabilities(options, received);
  throw new RowcastError(
    'wrong_answer',
    `the report names classes, but the predictions are ${nameOf(received)}`,
    { severity: 'stopped', hint: 'Check that --report is the right one.' },
  );
}

const nameOf = ({ kind }: PredictionType): string => (kind === 'label' ? 'labels' : 'numbers');

/** @throws RowcastError `bad_option` */
function checkNoProbabilities(options: MergeOptions, predictionType: PredictionType): void {
  const given = probabilityOptions.find(name => options[name] !== undefined && options[name] !== false);
  if (given === undefined) return;
  throw new RowcastError(
    'bad_option',
    `--${given} needs probabilities, but the predictions are ${nameOf(predictionType)}`,
    { hint: `Leave out --${given}.` },
  );
}

const probabilityOptions = ['classes', 'prediction', 'probabilities', 'decimals', 'threshold'] as const;

function knownPredictionType({ classes, report, resumed }: MergeOptions): PredictionType | undefined {
  if (resumed !== undefined) return resumed.predictionType;
  if (classes !== undefined) checkClasses(classes, report.classes);
  const known = classes ?? report.classes;
  return known && { kind: 'distribution', classes: known };
}
