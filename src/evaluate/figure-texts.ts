import { counted } from '../base/number-text.ts';
import type { Estimate } from './statistics/estimates.ts';

/** The figures for people, in the order in which they are shown: their names, and whether they are shares. */
const figureTexts: Readonly<Record<string, { title: string; isShare?: boolean }>> = {
  auc: { title: 'AUC' },
  gini: { title: 'Gini' },
  ks: { title: 'KS' },
  log_loss: { title: 'Log loss' },
  brier: { title: 'Brier score' },
  accuracy: { title: 'Accuracy', isShare: true },
  precision: { title: 'Precision', isShare: true },
  recall: { title: 'Recall', isShare: true },
  calibration_error: { title: 'Calibration error', isShare: true },
  base_rate: { title: 'Base rate', isShare: true },
  rmse: { title: 'RMSE' },
  mae: { title: 'MAE' },
  median_error: { title: 'Median error' },
  r2: { title: 'R²' },
  bias: { title: 'Bias' },
  mean_actual: { title: 'Mean actual' },
  mean_prediction: { title: 'Mean prediction', isShare: true },
};

/** What to say of labels that were not used, by reason. */
export const unusedTexts: Readonly<Record<string, string>> = {
  no_label: 'without a value',
  no_key: 'without a key',
  conflicting_labels: 'of keys with different labels',
  unknown_label: 'that are not what is predicted',
  not_scored: 'of keys that were not scored',
  scored_twice: 'of keys that were scored more than once',
  label_twice: 'that are there again',
};

/** The names of the figures that are there, in the order in which they are shown. */
export const shownFigures = (figures: Readonly<Record<string, unknown>>): string[] =>
  Object.keys(figureTexts).filter(name => Object.hasOwn(figures, name));

export const figureTitle = (name: string): string => figureTexts[name]?.title ?? name;

/** @param ofClasses false for predicted numbers, whose means are no shares */
export function figureText(name: string, value: number | null | undefined, ofClasses: boolean): string {
  if (value === null || value === undefined) return '–';
  if (ofClasses && figureTexts[name]?.isShare) return `${fixed(100 * value, 1)}%`;
  return ofClasses || name === 'r2' ? fixed(value, 3) : amountText(value);
}

/** Rounded to so many digits; never a zero with a sign. */
const fixed = (value: number, digits: number): string => value.toFixed(digits).replace(/^-(0\.0+)$/, '$1');

/** A number of any size in few characters: a whole one, or four digits. */
export const amountText = (value: number): string =>
  Number.isInteger(value) || Math.abs(value) >= 1000 ? counted(value) : value.toPrecision(4);

export function intervalText(name: string, { low, high }: Estimate, ofClasses: boolean): string {
  if (low === null || high === null) return '';
  return `${figureText(name, low, ofClasses)} to ${figureText(name, high, ofClasses)}`;
}
