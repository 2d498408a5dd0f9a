import { RowcastError } from '../../base/errors.ts';
import { formatList, sanitize } from '../../base/sanitize.ts';
import { numberOf } from '../../formats/values/coerce.ts';
import { columnKind, type TextCounts } from '../../formats/values/column-type.ts';
import { isMissingSpelling } from '../../formats/values/missing-values.ts';

/** The classes of the labels. */
export interface CleanLabels {
  /** Maps a label as written to the name of its class. */
  names: ReadonlyMap<string, string>;
  /** What was changed and what may be a mistake, one sentence each. */
  notes: string[];
}

/**
 * Cleans labels: removes surrounding spaces, and if all numeric labels are integers, turns "1.0" into "1" (pandas
 * writes integer columns with missing values this way).
 *
 * @param texts the labels as written, none of them blank
 */
export function cleanLabels(texts: TextCounts, predict: string): CleanLabels {
  const trimmed = [...texts.keys()].map(text => text.trim());
  const areWhole = trimmed.every(text => numberOf(text) === null || whole.test(text));
  const names = new Map([...texts.keys()].map((text, i) => [text, cleaned(trimmed[i] ?? '', areWhole)]));
  const spaced = [...texts].filter(([text]) => text.trim() !== text);
  const changed = [...texts].filter(([text]) => names.get(text) !== text.trim());
  const column = `"${sanitize(predict)}"`;
  const classes = [...new Set(names.values())];
  const cased = groupsOf(classes, name => name.toLowerCase()).filter(group => group.length > 1);
  return {
    names,
    notes: [
      ...(spaced.length > 0 ? [`Removed the spaces around ${rowsOf(spaced)} of ${column}.`] : []),
      ...changed
        .slice(0, 1)
        .map(
          ([text]) =>
            `Read ${rowsOf(changed)} of ${column} as whole numbers, such as "${sanitize(text.trim())}" as "${sanitize(names.get(text) ?? '')}".`,
        ),
      ...cased.map(
        group =>
          `${column} has the different classes ${formatList(group)}: write them the same way if they are one class.`,
      ),
      ...classes
        .filter(isMissingSpelling)
        .map(
          name =>
            `${column} has the class "${sanitize(name)}": leave these cells empty if their label is missing.`,
        ),
    ],
  };
}

/**
 * Numeric classes such as grades and ratings are few; more distinct numbers are amounts. The limit is a choice: it
 * accepts ratings of 1 to 10 and grades of 1 to 20, and rejects ages, days of a year and prices.
 */
const MAX_NUMERIC_CLASSES = 20;

/**
 * Rejects amounts as classes.
 *
 * @param texts the labels, or some of them
 * @throws RowcastError `numeric_target`
 */
export function refuseAmounts(texts: TextCounts, predict: string): void {
  if (texts.size <= MAX_NUMERIC_CLASSES || columnKind(texts).type !== 'numerical') return;
  throw new RowcastError(
    'numeric_target',
    `"${sanitize(predict)}" is a numeric column with more than ${MAX_NUMERIC_CLASSES} different values; a report predicts classes, not amounts`,
    {
      hint:
        'Use --bins 4 to predict which of four ranges, with about the same number of rows each, a number falls into. ' +
        'If the numbers are codes of classes, add a letter, such as c12.',
    },
  );
}

const whole = /^[+-]?(?:0|[1-9]\d*)(?:\.0*)?$/;

const cleaned = (text: string, areWhole: boolean): string =>
  areWhole && whole.test(text) ? text.replace(/\.0*$/, '') : text;

function groupsOf(names: readonly string[], keyOf: (name: string) => string): string[][] {
  const groups = new Map<string, string[]>();
  for (const name of names) groups.set(keyOf(name), [...(groups.get(keyOf(name)) ?? []), name]);
  return [...groups.values()];
}

function rowsOf(counts: readonly (readonly [string, number])[]): string {
  const rows = counts.reduce((sum, [, count]) => sum + count, 0);
  return rows === 1 ? '1 label' : `${rows.toLocaleString('en-US')} labels`;
}
