import type { LooseReport } from '../../base/contract/schemas.ts';
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
  /** If the run has written its header already: the classes, and the last byte of the output so far. */
  resumed?: { classes: readonly string[]; lastByte: number | undefined } | undefined;
}

/**
 * The columns to append, for these classes or those of the definition or report.
 *
 * @returns undefined if nothing names the classes
 * @throws RowcastError `duplicate_columns` if two columns of the output would have the same name; `bad_classes`
 */
export function appendedFor(options: MergeOptions, classes = knownClasses(options)): Appended | undefined {
  return classes && options.layout.appended(appendedOptions(options, classes));
}

/** What is appended, as plain data. */
export function appendedOptionsFor(options: MergeOptions): AppendedOptions | undefined {
  const classes = knownClasses(options);
  return classes && appendedOptions(options, classes);
}

const appendedOptions = (
  { report, prefix, prediction, probabilities, decimals, threshold }: MergeOptions,
  classes: readonly string[],
): AppendedOptions => ({
  classes,
  prefix,
  // A threshold says how to predict, so there is a prediction.
  prediction: prediction || threshold !== undefined ? (report.predicts ?? 'class') : undefined,
  chosen:
    probabilities === undefined && decimals === undefined && threshold === undefined
      ? undefined
      : { probabilities, decimals, threshold },
});

function knownClasses({ classes, report, resumed }: MergeOptions): readonly string[] | undefined {
  if (resumed !== undefined) return resumed.classes;
  if (classes !== undefined) checkClasses(classes, report.classes);
  return classes ?? report.classes;
}
