import type { Quality, Warning } from '../../contract/schemas.ts';
import { sanitize } from '../../sanitize.ts';
import { testingDuplicates } from '../rows/duplicates.ts';
import type { LearnedColumns } from '../rows/learn-columns.ts';
import type { Split } from '../rows/split-rows.ts';
import { percent } from './evaluation.ts';
import { type LabelledRows, leakingColumns } from './leaks.ts';

/** Below this share of the testing rows, copies change no metric by a percent. */
const DUPLICATE_SHARE = 0.01;

/** Reasons to doubt a report's metrics or usefulness. */
export function warningsOf(
  learned: LearnedColumns,
  labelled: LabelledRows,
  split: Split,
  quality: Quality,
): Warning[] {
  const duplicates = testingDuplicates(labelled.rows, split, new Set(learned.counters));
  return [
    ...leakingColumns(learned, labelled, split).map(
      (name): Warning => ({
        code: 'leak',
        message:
          `"${sanitize(name)}" alone nearly determines the class. If it is known only after the outcome, leave it out: ` +
          'predictions will be worse than these metrics suggest.',
      }),
    ),
    ...(duplicates >= DUPLICATE_SHARE * split.testing.length && duplicates > 0
      ? [
          {
            code: 'duplicates' as const,
            message:
              `${duplicates} of ${split.testing.length} testing rows are identical to rows used for training, including the label. ` +
              'If they are copies, remove them: the metrics are too optimistic.',
          },
        ]
      : []),
    ...(quality.accuracy_interval.low <= quality.majority_accuracy
      ? [
          {
            code: 'no_better_than_majority' as const,
            message:
              `The model is right for ${percent(quality.accuracy)} of the testing rows, not clearly better than ` +
              `always predicting "${sanitize(quality.majority_class)}" (${percent(quality.majority_accuracy)})` +
              `${quality.auc === null ? '' : `; its AUC is ${quality.auc.toFixed(2)}, where 0.5 is chance`}.`,
          },
        ]
      : []),
  ];
}
