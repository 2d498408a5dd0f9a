import * as z from 'zod';
import { importedFacts, numbersText } from '../../base/contract/imported-facts.ts';
import {
  type CalibrationBin,
  importedFrom,
  type LooseReport,
  numberQuality,
  quality,
  warning,
} from '../../base/contract/schemas.ts';
import { counted } from '../../base/number-text.ts';
import { sanitize } from '../../base/sanitize.ts';
import { paragraph, WIDTH } from '../wrapped-text.ts';
import { alignColumns } from './print.ts';

/**
 * Describes a report for people: what it predicts, its tech specs, the impact of its drivers as bars, and where an
 * imported model comes from.
 */
export function describeReport(id: string, report: LooseReport): string {
  const { predicts, classes, numbers, tech_specs: specs, drivers } = report;
  const what = predicts === undefined ? '' : ` predicts ${sanitize(predicts)}`;
  const named = classes === undefined ? numbers && numbersText(numbers) : sanitize(classes.join(', '));
  const of = named === undefined ? '' : `: ${named}`;
  const rows = Object.entries(specs).map(([name, spec]) => [
    `  ${sanitize(name).replaceAll('_', ' ').replace(/ r2$/, ' R²')}`,
    sanitize(String(spec)),
  ]);
  const max = drivers.reduce((max, { impact }) => Math.max(max, impact), 0);
  const bars = drivers.map(({ column, impact }) => [
    `  ${sanitize(column)}`,
    `${(100 * impact).toFixed(1)}%`.padStart(6),
    '█'.repeat(Math.round(24 * (Math.max(0, impact) / max))),
  ]);
  return [
    `${paragraph(`${id}${what}${of}`)}\n\n`,
    alignColumns(rows),
    describeQuality(report.quality, classes),
    bars.length === 0 ? '' : `\nDrivers and their impact\n\n${alignColumns(bars)}`,
    describeWarnings(report.warnings),
    describeOrigin(report),
  ].join('');
}

/** Where an imported model comes from, and what the import assumed. */
function describeOrigin({ imported_from: member, notes = [] }: LooseReport): string {
  const { data } = importedFrom.safeParse(member);
  if (data === undefined) return '';
  const facts = importedFacts(data).map(([name, text]) => [`  ${name}`, sanitize(text)]);
  const assumed = notes.map(note => `${paragraph(sanitize(note), 2)}\n`).join('');
  return `\nImported model\n\n${alignColumns(facts)}${assumed === '' ? '' : `\nNotes of the import\n\n${assumed}`}`;
}

function describeWarnings(member: unknown): string {
  const { data = [] } = z.array(warning).safeParse(member);
  if (data.length === 0) return '';
  return `\nWarnings\n\n${data.map(({ message }) => `${paragraph(sanitize(message), 2)}\n`).join('')}`;
}

/** The largest confusions, or classes, that are listed. */
const MAX_LINES = 10;

/** Another service need not have counted what was confused, or have measured calibration. */
const shownQuality = quality.partial({ confusion: true, calibration: true });
type ShownQuality = z.infer<typeof shownQuality>;

/**
 * Describes the quality of a model: metrics, confusions and calibration.
 *
 * @param member of a report; one of the same name but another shape, which a service may have, is not shown
 * @param classes of the report, if it names them
 */
export function describeQuality(member: unknown, classes: readonly string[] | undefined): string {
  const { data } = shownQuality.safeParse(member);
  if (data === undefined) return describeNumberQuality(member);
  const { confusion, calibration } = data;
  const names = classes?.map(sanitize);
  return [
    `\nQuality on ${counted(data.testing_rows)} testing rows\n\n${alignColumns(metrics(data))}`,
    names === undefined || !isSquare(confusion, names.length) ? '' : describeConfusion(confusion, names),
    names === undefined || calibration?.length !== names.length
      ? ''
      : describeCalibration(calibration, names),
  ].join('');
}

const shownNumberQuality = numberQuality.partial({ deciles: true, points: true });

function describeNumberQuality(member: unknown): string {
  const { data } = shownNumberQuality.safeParse(member);
  if (data === undefined) return '';
  const { testing_rows: rows, baseline, deciles = [], ...own } = data;
  const short = (value: number | null): string =>
    value === null ? 'undefined' : String(Number(value.toPrecision(4)));
  const names = { RMSE: 'rmse', MAE: 'mae', 'median error': 'median_error', 'R²': 'r2' } as const;
  const errors = Object.entries(names).map(([name, key]) => [
    `  ${name}`,
    short(own[key]),
    short(baseline[key]),
  ]);
  const ranges = deciles.map(({ rows: count, predicted, actual, low, high, residuals }) => [
    `  ${short(predicted)}`,
    short(actual),
    `${short(low)} to ${short(high)}`,
    `${short(residuals[0] ?? 0)} to ${short(residuals.at(-1) ?? 0)}`,
    counted(count),
  ]);
  const cells = [['  predicted', 'actual', '95% confidence', 'residuals, 10% to 90%', 'rows'], ...ranges];
  const heading = `Quality on ${counted(rows)} testing rows, next to always predicting the median, ${short(baseline.value)}`;
  return [
    `\n${paragraph(heading)}\n\n`,
    alignColumns(rightAligned([['  error', 'model', 'median'], ...errors])),
    ranges.length === 0 ? '' : `\nMeans by tenth of the predictions\n\n${alignColumns(rightAligned(cells))}`,
  ].join('');
}

function metrics(data: ShownQuality): string[][] {
  const { accuracy, accuracy_interval: interval, auc, calibration, confusion } = data;
  const isOfSeveral = (calibration ?? confusion ?? []).length > 2;
  return [
    [
      '  accuracy',
      `${percent(accuracy)} (${100 * interval.confidence}% confidence interval: ${percent(interval.low)} to ${percent(interval.high)})`,
    ],
    [
      '  baseline',
      `${percent(data.majority_accuracy)} (always predicting "${sanitize(data.majority_class)}")`,
    ],
    [
      '  AUC',
      auc === null
        ? 'undefined'
        : `${auc.toFixed(3)}${isOfSeveral ? ' (one-vs-rest, averaged over the classes)' : ''}`,
    ],
    ['  log loss', data.log_loss.toFixed(3)],
  ];
}

const isSquare = (matrix: ShownQuality['confusion'], size: number): matrix is number[][] =>
  matrix?.length === size && matrix.every(row => row.length === size);

function describeConfusion(confusion: readonly (readonly number[])[], names: readonly string[]): string {
  const cells = [
    ['  actual \\ predicted', ...names],
    ...names.map((name, actual) => [`  ${name}`, ...(confusion[actual] ?? []).map(counted)]),
  ];
  const matrix = alignColumns(rightAligned(cells));
  if (matrix.indexOf('\n') <= WIDTH) return `\nConfusion matrix\n\n${matrix}`;
  const mistakes = confusion
    .flatMap((row, actual) =>
      row.map((rows, predicted) => ({ rows, actual: names[actual], predicted: names[predicted] })),
    )
    .filter(({ rows, actual, predicted }) => rows > 0 && actual !== predicted)
    .sort((a, b) => b.rows - a.rows);
  const lines = mistakes
    .slice(0, MAX_LINES)
    .map(({ rows, actual, predicted }) => [`  ${actual}`, `predicted as ${predicted}`, counted(rows)]);
  return lines.length === 0 ? '' : `\nMost frequent confusions\n\n${alignColumns(lines)}`;
}

/** Describes the ranges of the second of two classes, or the mean and the error of each of several. */
function describeCalibration(
  calibration: readonly (readonly CalibrationBin[])[],
  names: readonly string[],
): string {
  const [, second] = calibration;
  if (names.length === 2 && second !== undefined) {
    const rows = second.map(({ from, to, rows: count, predicted, actual, low, high }) => [
      `  ${100 * from}% to ${100 * to}%`,
      counted(count),
      percent(predicted),
      percent(actual),
      `${percent(low)} to ${percent(high)}`,
    ]);
    const cells = [['  probability', 'rows', 'predicted', 'actual', '95% confidence'], ...rows];
    return `\nCalibration of "${names[1]}"\n\n${alignColumns(rightAligned(cells))}`;
  }
  const classes = names
    .map((name, index) => ({ name, ...overall(calibration[index] ?? []) }))
    .sort((a, b) => b.error - a.error)
    .slice(0, MAX_LINES);
  const cells = [
    ['  class', 'predicted', 'actual', 'mean error'],
    ...classes.map(({ name, predicted, actual, error }) => [
      `  ${name}`,
      percent(predicted),
      percent(actual),
      percent(error),
    ]),
  ];
  return `\nCalibration${names.length > MAX_LINES ? ', the worst classes first' : ''}\n\n${alignColumns(rightAligned(cells))}`;
}

/** The mean over all ranges, and the expected calibration error (Naeini, Cooper and Hauskrecht, AAAI 2015). */
function overall(bins: readonly CalibrationBin[]): { predicted: number; actual: number; error: number } {
  const total = bins.reduce((sum, { rows }) => sum + rows, 0);
  const mean = (of: (bin: CalibrationBin) => number): number =>
    total === 0 ? 0 : bins.reduce((sum, bin) => sum + bin.rows * of(bin), 0) / total;
  return {
    predicted: mean(({ predicted }) => predicted),
    actual: mean(({ actual }) => actual),
    error: mean(({ predicted, actual }) => Math.abs(predicted - actual)),
  };
}

/** Pads all columns but the first on the left. */
export function rightAligned(table: readonly (readonly string[])[]): string[][] {
  const widths = (table[0] ?? []).map((_, i) => Math.max(...table.map(row => row[i]?.length ?? 0)));
  return table.map(row => row.map((cell, i) => (i === 0 ? cell : cell.padStart(widths[i] ?? 0))));
}

const percent = (share: number): string => `${(100 * share).toFixed(1)}%`;
