import type { Quality, Report, Warning } from '../../base/contract/schemas.ts';
import { partOf } from '../../base/number-text.ts';
import { sanitize } from '../../base/sanitize.ts';
import { percent } from '../learn/evaluation.ts';
import type { LearnedColumns } from '../rows/learn-columns.ts';
import type { RowSplit } from '../rows/split-rows.ts';
import { type LabelledRows, leakingColumns } from './leaks.ts';

/** Below this share of the testing rows, copies change no metric by a percent. */
const DUPLICATE_SHARE = 0.01;

/** A column with a larger share of all impacts decides nearly everything. */
const DOMINANT_IMPACT = 0.8;
/**
 * A column that is known only after the outcome tells it: a model that still makes more than this share of the errors
 * of always predicting the most frequent class has no such column.
 */
const LEFT_ERRORS = 0.5;

/** What the testing rows show. */
interface Measured {
  quality: Quality;
  drivers: Report['drivers'];
}

/** Reasons to doubt the metrics or the usefulness of a report of classes. */
export const warningsOf = (
  learned: LearnedColumns,
  labelled: LabelledRows,
  split: RowSplit,
  { quality, drivers }: Measured,
): Warning[] => [
  ...rowWarnings(learned, labelled, split, leaks => dominanceWarnings(drivers, quality, leaks)),
  ...majorityWarnings(quality, labelled.classes),
];

/**
 * Warns of columns that tell what is predicted, and of testing rows that are copies.
 *
 * @param dominance warns of a driver that decides nearly everything, if it is not one of these columns
 */
export function rowWarnings(
  learned: LearnedColumns,
  labelled: LabelledRows,
  split: RowSplit,
  dominance: (leaks: readonly string[]) => Warning[],
): Warning[] {
  const leaks = leakingColumns(learned, labelled, split);
  const duplicates = testingDuplicates(labelled.rows, split, new Set(learned.counters));
  const what = labelled.classes === 1 ? 'number' : 'class';
  return [
    ...leaks.map(
      (name): Warning => ({
        code: 'leak',
        message:
          `"${sanitize(name)}" alone nearly determines the ${what}. If it is known only after the outcome, leave it out: ` +
          'predictions will be worse than these metrics suggest.',
      }),
    ),
    ...dominance(leaks),
    ...(duplicates >= DUPLICATE_SHARE * split.testing.length && duplicates > 0
      ? [
          {
            code: 'duplicates' as const,
            message:
              `${partOf(duplicates, split.testing.length, 'testing row', ['is', 'are'])} identical to rows used for training, including the label. ` +
              'If they are copies, remove them: the metrics are too optimistic.',
          },
        ]
      : []),
  ];
}

/** Warns of the driver that decides nearly everything, of a model that makes much fewer errors than the majority. */
export const dominanceWarnings = (
  drivers: Report['drivers'],
  { accuracy, majority_accuracy: majority }: Quality,
  leaks: readonly string[] = [],
): Warning[] => (1 - accuracy > LEFT_ERRORS * (1 - majority) ? [] : dominantDrivers(drivers, leaks));

/**
 * Warns of the driver that decides nearly everything, if there is one; the only column of a model always does.
 *
 * @param leaks columns that another warning already names as leaks
 */
export const dominantDrivers = (drivers: Report['drivers'], leaks: readonly string[]): Warning[] =>
  drivers.length < 2
    ? []
    : drivers
        .filter(({ column, impact }) => impact > DOMINANT_IMPACT && !leaks.includes(column))
        .map(({ column, impact }) => ({
          code: 'leak',
          message:
            `"${sanitize(column)}" decides nearly everything, with ${percent(impact)} of the impact of all columns. If it is known only after the outcome, ` +
            'leave it out: predictions will be worse than these metrics suggest.',
        }));

/** @param classes how many there are */
export const majorityWarnings = (quality: Quality, classes: number): Warning[] =>
  quality.accuracy_interval.low > quality.majority_accuracy
    ? []
    : [
        {
          code: 'no_better_than_majority',
          message:
            `The model is right for ${percent(quality.accuracy)} of the testing rows, not clearly better than ` +
            `always predicting "${sanitize(quality.majority_class)}" (${percent(quality.majority_accuracy)})` +
            `${quality.auc === null ? '' : `; its AUC${classes > 2 ? ' (one-vs-rest, averaged over the classes)' : ''} is ${quality.auc.toFixed(2)}, where 0.5 is chance`}.`,
        },
      ];

/**
 * Counts the testing rows that are identical, including the label, to a row used for training or validation.
 *
 * @param ignored columns that differ between copies, such as row counters
 */
function testingDuplicates(
  rows: readonly (readonly string[])[],
  split: RowSplit,
  ignored: ReadonlySet<number>,
): number {
  const learned = new Set<number>();
  for (const part of [split.training, split.validation])
    for (const row of part) learned.add(digestOf(rows[row] ?? [], ignored));
  return split.testing.filter(row => learned.has(digestOf(rows[row] ?? [], ignored))).length;
}

/** 53 bits of two FNV-1a hashes: among 100,000 rows, two different ones collide with a chance of one in a million. */
function digestOf(row: readonly string[], ignored: ReadonlySet<number>): number {
  let [low, high] = [0x811c9dc5, 0x1000193];
  const add = (code: number): void => {
    low = Math.imul(low ^ code, 0x01000193);
    high = Math.imul(high ^ code, 0x85ebca6b) ^ (high >>> 13);
  };
  row.forEach((text, index) => {
    if (ignored.has(index)) return;
    for (let i = 0; i < text.length; i++) add(text.charCodeAt(i));
    add(0x10000); // no character has this code
  });
  return (low >>> 0) + (high >>> 11) * 2 ** 32;
}
