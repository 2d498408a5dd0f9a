import { RowcastError } from '../../base/errors.ts';
import { countOf } from '../../base/number-text.ts';
import { formatList, sanitize } from '../../base/sanitize.ts';
import type { Layout } from '../../formats/format.ts';
import { textsOf } from '../../formats/records/fields.ts';
import { numberOf } from '../../formats/values/coerce.ts';
import { countTexts, type TextCounts } from '../../formats/values/column-type.ts';
import { isMissingSpelling } from '../../formats/values/missing-values.ts';
import { type BinnedLabels, binLabels } from './bin-labels.ts';
import {
  areAmounts,
  eitherNumber,
  isOfAmounts,
  MAX_NUMERIC_CLASSES,
  notesOfFewNumbers,
  numberLabels,
  type TargetKind,
} from './numbers/number-labels.ts';
import { keptBatches } from './open-batches.ts';
import { checkLabels, MAX_TRAINED_CLASSES, splitRows } from './split-rows.ts';

interface CleanLabels {
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
function cleanLabels(texts: TextCounts, predict: string): CleanLabels {
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
      ...(spaced.length > 0 ? [`Removed the spaces around ${labelCount(spaced)} of ${column}.`] : []),
      ...changed
        .slice(0, 1)
        .map(
          ([text]) =>
            `Read ${labelCount(changed)} of ${column} as whole numbers, such as "${sanitize(text.trim())}" as "${sanitize(names.get(text) ?? '')}".`,
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
 * Rejects amounts as classes.
 *
 * @param texts the labels, or some of them
 * @param most different numbers that may be classes
 * @throws RowcastError `numeric_target`
 */
export function refuseAmounts(texts: TextCounts, predict: string, most = MAX_NUMERIC_CLASSES): void {
  if (!areAmounts(texts, most)) return;
  throw new RowcastError(
    'numeric_target',
    `"${sanitize(predict)}" is a numeric column with more than ${most} different values, too many for classes`,
    {
      hint:
        'Leave out --target classes to predict a number, or use --bins 4 to predict which of four ranges, with about the same number of rows each, a number falls into. ' +
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

function labelCount(counts: readonly (readonly [string, number])[]): string {
  const rows = counts.reduce((sum, [, count]) => sum + count, 0);
  return countOf(rows, 'label');
}

/** Labelled rows, and the class or the number of each. */
interface LabelledTable {
  rows: string[][];
  /** The names of the classes; empty if there are numbers. */
  labels: string[];
  numbers?: number[] | undefined;
  /** The order of the classes, if it is not that of their names. */
  order?: readonly string[] | undefined;
  notes: string[];
}

interface LabelOptions {
  predict: string;
  bins?: number | undefined;
  target?: TargetKind | undefined;
  numericClasses?: number | undefined;
  /** Where a label is, if it is known. */
  placeOf?: (label: string) => string | undefined;
}

/** Determines each row's class or number; with `bins` or numbers, rows whose label is not a number are left out. */
export function labelRows(sampled: string[][], column: number, options: LabelOptions): LabelledTable {
  const { predict, bins, target } = options;
  const texts = countTexts(sampled.map(row => row[column] ?? ''));
  if (bins === undefined && isOfAmounts(texts, target))
    return { labels: [], ...numberLabels(sampled, column, options) };
  if (bins === undefined) {
    refuseAmounts(texts, predict, options.numericClasses);
    const { names, notes } = cleanLabels(texts, predict);
    return {
      rows: sampled,
      labels: sampled.map(row => names.get(row[column] ?? '') ?? ''),
      notes: [...(target === undefined ? notesOfFewNumbers(texts, predict) : []), ...notes],
    };
  }
  const { nameOf, order, notes } = binLabels(texts, bins, predict);
  const named = sampled.flatMap(row => {
    const label = nameOf(row[column] ?? '');
    return label === undefined ? [] : [{ row, label }];
  });
  return { rows: named.map(({ row }) => row), labels: named.map(({ label }) => label), order, notes };
}

/** The fields of records that were kept: see `keptBatches`. */
export function rowsOf(layout: Layout, records: readonly string[], maxRecordBytes: number): string[][] {
  const rows: string[][] = [];
  const fieldsOf = layout.fieldReader();
  for (const batch of keptBatches(layout, records, maxRecordBytes)) {
    const fields = fieldsOf(batch);
    for (let row = 0; row < fields.rows; row++) rows.push(textsOf(fields, row));
  }
  return rows;
}

/** The classes that training would make of a column. */
export interface PreviewedTarget {
  /** The most frequent first. */
  classes: { name: string; rows: number }[];
  notes: string[];
}

/** With more rows, no number of classes leaves too few for testing. */
const FEW_ROWS = 1_000;

/**
 * Finds out from the values of a column whether it can be predicted, by the rules of training and without the rows.
 *
 * @param texts all labels as written, none of them blank
 * @param bins the number of ranges to divide numbers into
 * @throws RowcastError as training would: `numeric_target`, `not_numbers`, `too_few_rows`, `one_class`,
 *   `too_many_classes`
 */
export function previewTarget(texts: TextCounts, predict: string, bins?: number): PreviewedTarget {
  const { nameOf, notes } = bins === undefined ? named(texts, predict) : binLabels(texts, bins, predict);
  const rowsOf = new Map<string, number>();
  for (const [text, count] of texts) {
    const name = nameOf(text);
    if (name !== undefined) rowsOf.set(name, (rowsOf.get(name) ?? 0) + count);
  }
  const counts = [...rowsOf.values()];
  const rows = counts.reduce((sum, count) => sum + count, 0);
  checkLabels({ rows, classes: rowsOf.size }, predict);
  if (rows < FEW_ROWS)
    splitRows(
      counts.flatMap((count, label) => new Array<number>(count).fill(label)),
      counts.length,
      1,
    );
  const classes = [...rowsOf].map(([name, count]) => ({ name, rows: count }));
  return { classes: classes.sort((a, b) => b.rows - a.rows), notes };
}

function named(texts: TextCounts, predict: string): BinnedLabels {
  refuseAmounts(texts, predict);
  const { names, notes } = cleanLabels(texts, predict);
  return { nameOf: text => names.get(text), notes };
}

/** With fewer rows, a class may be no class: a sum below the rows, a note, a value that slipped into another column. */
const FEW_CLASS_ROWS = 5;
/** Fewer rows are too few to train from. */
const MIN_NOTED_ROWS = 50;
/** The most classes that the note lists. */
const MAX_LISTED = 20;

/** Notes the classes that have few rows, with where the first one is. */
export class RareClasses {
  /** In the order of the rows. */
  readonly #places = new Map<string, string>();

  /** @param placeOf where the row is, such as `line 7`, which takes time: it is called for the first labels only */
  see(label: string, placeOf: () => string): void {
    if (this.#places.has(label)) return;
    const most = eitherNumber(label) === null ? 2 * MAX_TRAINED_CLASSES : MAX_TRAINED_CLASSES;
    if (this.#places.size <= most) this.#places.set(label, placeOf());
  }

  placeOf(label: string): string | undefined {
    return this.#places.get(label);
  }

  /**
   * @param counts label → rows
   * @param classOf label → the name of its class
   */
  notes(counts: TextCounts, classOf: ReadonlyMap<string, string>, predict: string): string[] {
    const all = [...counts.values()].reduce((sum, rows) => sum + rows, 0);
    if (all < MIN_NOTED_ROWS) return [];
    const classes = new Map<string, { rows: number; place: string }>();
    for (const [label, place] of this.#places) {
      const name = classOf.get(label);
      if (name === undefined) continue;
      const { rows = 0, place: first = place } = classes.get(name) ?? {};
      classes.set(name, { rows: rows + (counts.get(label) ?? 0), place: first });
    }
    const rare = [...classes].filter(([, { rows }]) => rows < FEW_CLASS_ROWS);
    if (rare.length === 0) return [];
    const listed = rare
      .slice(0, MAX_LISTED)
      .map(([name, { rows, place }]) => `"${sanitize(name)}" (${countOf(rows, 'row')}, ${sanitize(place)})`);
    const others = rare.length > MAX_LISTED ? ` and ${rare.length - MAX_LISTED} more` : '';
    return [
      `"${sanitize(predict)}" has classes with fewer than five rows: ${listed.join(', ')}${others}. If some of these rows are not data, such as sums, remove them.`,
    ];
  }
}
