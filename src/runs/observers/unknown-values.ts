import { countOf } from '../../base/number-text.ts';
import { sanitize } from '../../base/sanitize.ts';
import { MIN_ROWS_FOR_SHARE } from '../../scoring/counting/counted-column.ts';
import { countedRows } from '../../scoring/row-counts.ts';
import type { ColumnFigures } from '../drift/compare.ts';
import type { DataFigures } from '../drift/figures.ts';
import type { RunView } from '../observer.ts';

/** Adds a warning about values that the model does not know to the summary. @returns undefined if there are none */
export function noteUnknownValues(
  run: Pick<RunView, 'attempt' | 'columnsOf' | 'figures' | 'rowCounts' | 'warn'>,
): string | undefined {
  const figures = run.figures();
  const absent = run.columnsOf(run.attempt.runId)?.absent ?? [];
  const line = dataWarning(figures, countedRows(run.rowCounts), absent);
  if (line !== undefined) run.warn({ code: 'unknown_values', message: line });
  return line;
}

/** Columns that are named; a warning is one line. */
const MAX_NAMED = 3;

/**
 * A column that is missing in this share of the rows more than in training, and in twice as many, is worth a warning.
 */
const MUCH_MORE = 0.1;

/**
 * Warns of values that the model learns nothing from.
 *
 * @param rows whose values were counted
 * @param absent columns that the input does not have
 * @returns undefined if there is nothing to warn of
 */
export function dataWarning(
  { columns, matters }: Pick<DataFigures, 'columns' | 'matters'> = { columns: [], matters: [] },
  rows: number,
  absent: readonly string[] = [],
): string | undefined {
  // Later records may have what none of the first has.
  const isLater = (name: string): boolean =>
    columns.some(column => column.name === name && column.missing < rows);
  const lines = [
    unrecognizedLine(columns, rows),
    missingLine(
      columns.filter(({ name }) => !absent.includes(name)),
      matters,
      rows,
    ),
    absentLine(absent.filter(name => !isLater(name))),
  ].filter(line => line !== undefined);
  return lines.length === 0 ? undefined : lines.join('; ');
}

function missingLine(
  columns: readonly ColumnFigures[],
  matters: readonly string[],
  rows: number,
): string | undefined {
  if (rows < MIN_ROWS_FOR_SHARE) return undefined;
  const known = new Set(matters);
  const found = columns.flatMap(({ name, missing, training }) => {
    if (training === null || !known.has(name)) return [];
    const [now, before] = [missing / rows, training.missing / training.rows];
    return now > before + MUCH_MORE && now > 2 * before ? [{ name, now, before }] : [];
  });
  if (found.length === 0) return undefined;
  const named = found
    .sort((a, b) => b.now - b.before - (a.now - a.before))
    .slice(0, MAX_NAMED)
    .map(
      ({ name, now, before }) =>
        `"${sanitize(name)}" is missing in ${percent(now)} of the rows (${percent(before)} in training)`,
    );
  return `${named.join('; ')}${moreText(found.length - named.length)}`;
}

function absentLine(absent: readonly string[]): string | undefined {
  if (absent.length === 0) return undefined;
  const names = absent.slice(0, MAX_ABSENT).map(name => `"${sanitize(name)}"`);
  return `sent as missing, because the input does not have them: ${names.join(', ')}${absent.length > MAX_ABSENT ? ', …' : ''}`;
}

/** Names that are listed. */
const MAX_ABSENT = 20;

const moreText = (more: number): string =>
  more === 0 ? '' : `; and ${more} more ${more === 1 ? 'column' : 'columns'}`;

/**
 * Names the columns with the most values that the model learns nothing from, although they are not missing; only those
 * with a larger share of them than the training rows had, if that is known.
 *
 * @param rows whose values were counted
 * @returns undefined if there are no such values
 */
export function unrecognizedLine(columns: readonly ColumnFigures[], rows: number): string | undefined {
  const found = columns
    .map(column => ({ column, values: (column.mismatched ?? 0) + (column.unseen ?? 0) }))
    .filter(({ column }) => isAboveTraining(column, rows))
    .sort((a, b) => b.values - a.values);
  if (found.length === 0) return undefined;
  const named = found.slice(0, MAX_NAMED).map(({ column }) => describe(column, rows));
  const rest = moreText(found.length - named.length);
  return `values that the model does not know count as missing or rare: ${named.join('; ')}${rest}`;
}

const isAboveTraining = ({ mismatched, unseen, training }: ColumnFigures, rows: number): boolean =>
  (mismatched ?? 0) / rows > (training?.mismatched ?? 0) / (training?.rows ?? 1) ||
  (unseen ?? 0) / rows > (training?.unseen ?? 0) / (training?.rows ?? 1);

function describe({ name, mismatched, unseen, training }: ColumnFigures, rows: number): string {
  const parts = [
    {
      values: mismatched ?? 0,
      of: training?.mismatched,
      one: 'is not of its type',
      many: 'are not of its type',
    },
    {
      values: unseen ?? 0,
      of: training?.unseen,
      one: 'is a category unknown to the model',
      many: 'are categories unknown to the model',
    },
  ].flatMap(({ values, of, one, many }) => {
    if (values === 0) return [];
    const before =
      of === undefined || training === null ? '' : `, ${percent(of / training.rows)} in training`;
    const share = `(${percent(values / rows)}${before})`;
    return [`${countOf(values, 'value')} of "${sanitize(name)}" ${values === 1 ? one : many} ${share}`];
  });
  return parts.join(' and ');
}

const percent = (share: number): string => `${(100 * share).toFixed(share < 0.001 && share > 0 ? 3 : 1)}%`;
