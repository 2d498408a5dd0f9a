import { countOf, partOf } from '../../../base/number-text.ts';
import { sanitize } from '../../../base/sanitize.ts';
import type { Evaluation } from '../../../evaluate/evaluation.ts';
import {
  amountText,
  figureText,
  figureTitle,
  intervalText,
  shownFigures,
} from '../../../evaluate/figure-texts.ts';
import { alignColumns } from '../print.ts';
import { rightAligned } from '../report-text.ts';

/** Most lines of a table: the JSON has all. */
const MAX_LINES = 20;

/**
 * Describes an evaluation for people, in at most 80 columns if names are short.
 *
 *     churned: 48,120 of 120,000 scored rows have a label (40.1%)
 *
 *                     value    95% interval  testing rows
 *       AUC           0.782  0.776 to 0.788         0.801
 */
export function describeEvaluation(evaluation: Evaluation): string {
  const { predicts, coverage, warnings } = evaluation;
  const share = coverage.share.value === null ? '' : ` (${(100 * coverage.share.value).toFixed(1)}%)`;
  const invalid =
    coverage.invalid === 0 ? '' : `${countOf(coverage.invalid, 'more row')} without a valid prediction\n`;
  return [
    `${sanitize(predicts)}: ${partOf(coverage.labelled, coverage.rows, 'scored row', ['has', 'have'])} a label${share}\n${invalid}`,
    ...warnings.map(({ message }) => `\nwarning: ${sanitize(message)}\n`),
    ...(coverage.labelled === 0
      ? []
      : [
          section('', figuresTable(evaluation)),
          section('', earlierTable(evaluation)),
          tenths(evaluation),
          byClass(evaluation),
          ...segments(evaluation),
        ]),
  ].join('');
}

const section = (title: string, rows: readonly (readonly string[])[]): string =>
  rows.length < 2 ? '' : `\n${title === '' ? '' : `${title}\n\n`}${alignColumns(rightAligned(rows))}`;

function figuresTable({ figures, testing, kind }: Evaluation): string[][] {
  const ofClasses = kind === 'classes';
  return [
    ['', 'value', '95% interval', ...(testing === null ? [] : ['testing rows'])],
    ...shownFigures(figures).map(name => {
      const own = figures[name];
      const value = figureText(name, own?.value, ofClasses);
      const before = testing?.[name] === undefined ? '' : figureText(name, testing[name], ofClasses);
      const interval = own === undefined ? '' : (own.reason ?? intervalText(name, own, ofClasses));
      return [`  ${figureTitle(name)}`, value, interval, ...(testing === null ? [] : [before])];
    }),
  ];
}

function earlierTable({ figures, earlier, kind }: Evaluation): string[][] {
  if (earlier === null) return [];
  const ofClasses = kind === 'classes';
  return [
    ['', 'value', 'earlier', 'difference', '95% interval'],
    ...shownFigures(earlier.differences).map(name => {
      const [now, before, change] = [figures[name], earlier.figures[name], earlier.differences[name]];
      return [
        `  ${figureTitle(name)}`,
        ...[now, before, change].map(each => figureText(name, each?.value, ofClasses)),
        change === undefined ? '' : intervalText(name, change, ofClasses),
      ];
    }),
  ];
}

const percent = (share: number): string => figureText('accuracy', share, true);

/** Calibration and gains of the second of two classes, or errors of numbers, by tenths of the prediction. */
function tenths({ by_class: classes, deciles }: Evaluation): string {
  const [only] = classes;
  if (deciles !== null)
    return section('By tenths of the prediction', [
      ['  prediction', 'rows', 'mean', 'actual', 'bias', 'MAE', 'RMSE'],
      ...deciles.map(({ from, to, rows, predicted, actual, bias, mae, rmse }) => [
        `  ${amountText(from)} to ${amountText(to)}`,
        ...[rows, predicted, actual, bias.value ?? 0, mae, rmse].map(amountText),
      ]),
    ]);
  if (only === undefined || classes.length > 1) return '';
  const name = sanitize(only.class);
  return [
    section(`Calibration of "${name}"`, [
      ['  probability', 'rows', 'predicted', 'actual', '95% interval'],
      ...only.calibration.map(({ from, to, rows, predicted, actual, low, high }) => [
        `  ${percent(from)} to ${percent(to)}`,
        amountText(rows),
        percent(predicted),
        percent(actual),
        `${percent(low)} to ${percent(high)}`,
      ]),
    ]),
    section(`Gains of "${name}"`, [
      ['  first rows', 'captured', 'lift', 'lift so far'],
      ...only.gains.map(({ top, captured, lift, cumulative_lift: cumulative }) => [
        `  ${Math.round(100 * top)}%`,
        percent(captured),
        lift.toFixed(2),
        cumulative.toFixed(2),
      ]),
    ]),
  ].join('');
}

function byClass({ by_class: classes }: Evaluation): string {
  if (classes.length < 2) return '';
  const names = ['auc', 'precision', 'recall', 'base_rate', 'mean_prediction', 'calibration_error'];
  const shown = classes.slice(0, MAX_LINES);
  const more = classes.length > shown.length ? `, the first ${MAX_LINES} of ${classes.length}` : '';
  return section(`By class${more}`, [
    ['  class', 'rows', 'AUC', 'precision', 'recall', 'base rate', 'predicted', 'cal. error'],
    ...shown.map(each => [
      `  ${sanitize(each.class)}`,
      amountText(each.rows),
      ...names.map(name => figureText(name, each.figures[name]?.value, true)),
    ]),
  ]);
}

/** Fits many columns into a line. */
const shortTitle = (name: string): string => figureTitle(name).replace('Calibration error', 'Cal. error');

/** The figures of segments, the most important one first, with its interval. */
const segmentFigures = {
  classes: ['auc', 'log_loss', 'calibration_error', 'base_rate'],
  numbers: ['rmse', 'mae', 'r2', 'bias'],
} as const;

const segments = ({ segments: all, kind }: Evaluation): string[] =>
  all.map(({ by, values }) => {
    const [main, ...others] = segmentFigures[kind];
    const names = others.filter(name => values.some(({ figures }) => name in figures));
    const more = values.length > MAX_LINES ? `, the first ${MAX_LINES} of ${values.length}` : '';
    return section(`By ${sanitize(by)}${more}`, [
      [`  ${sanitize(by)}`, 'labels', figureTitle(main), '95% interval', ...names.map(shortTitle)],
      ...values
        .slice(0, MAX_LINES)
        .map(({ value, labelled, figures }) => [
          `  ${value === null ? 'all other values' : sanitize(value) || '(blank)'}`,
          amountText(labelled),
          figureText(main, figures[main]?.value, kind === 'classes'),
          figures[main] === undefined ? '' : intervalText(main, figures[main], kind === 'classes'),
          ...names.map(name => figureText(name, figures[name]?.value, kind === 'classes')),
        ]),
    ]);
  });
