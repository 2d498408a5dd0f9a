import { sumsToOne } from '../../base/contract/predictions.ts';
import type { Dialect } from '../../base/parse-records.ts';
import { writeRow } from '../../base/write-row.ts';
import { type ChosenProbabilities, thresholdsOf } from '../../formats/appended.ts';

/**
 * Whether a class can be the predicted one.
 *
 * @param field the class as it is written, as latin1
 * @param probabilities as they are written, one per class that is shown
 */
export type PredictionCheck = (field: string, probabilities: Float64Array) => boolean;

export interface ShownClasses {
  /** The names of the classes whose probabilities are shown, or as many empty ones if they are not known. */
  classes: readonly string[];
  areKnown: boolean;
  /** Whether these are all classes, in their order. */
  areAll: boolean;
}

/** Creates a check of the predicted class, as strict as what is shown allows. */
export function predictionCheck(
  { classes, areKnown, areAll }: ShownClasses,
  dialect: Dialect,
  { decimals, threshold }: ChosenProbabilities,
): PredictionCheck {
  const fields = classes.map(name => latin1FieldOf(name, dialect));
  const thresholds = thresholdsOf(classes, threshold);
  const ranks = ranksOf(decimals);
  /** Whether another class is predicted instead of this one, whatever was lost by rounding. */
  const isBeaten = (index: number, probabilities: Float64Array): boolean => {
    const [own = Number.NaN, rank] = [probabilities[index], ranks.most(probabilities, index, thresholds)];
    return probabilities.some((probability, other) => {
      if (other === index) return false;
      const otherRank = ranks.least(probabilities, other, thresholds);
      if (otherRank !== rank) return otherRank > rank;
      // If several classes are equally likely, the first one in the order of all classes is predicted.
      const isFirst = areAll && decimals === undefined && other < index;
      return isFirst ? probability >= own : probability > own;
    });
  };
  if (!areKnown) return consistentCheck(classes.length, dialect, { decimals, threshold });
  if (areAll)
    return (field, probabilities) => {
      const index = fields.indexOf(field);
      return index !== -1 && !isBeaten(index, probabilities);
    };
  const isField = fieldTest(dialect);
  const withThreshold = new Set(Object.keys(threshold ?? {}).map(name => latin1FieldOf(name, dialect)));
  /**
   * Whether a class that is not shown, if there is one, has no threshold: then none below its threshold is predicted.
   */
  const isBelowOther = [...withThreshold].every(name => fields.includes(name));
  return (field, probabilities) => {
    const index = fields.indexOf(field);
    if (index !== -1)
      return (
        !isBeaten(index, probabilities) &&
        !(
          isBelowOther &&
          ranks.most(probabilities, index, thresholds) === 0 &&
          areSomeHidden(probabilities, decimals)
        )
      );
    // A class that is not shown: only a class that reaches its threshold excludes it.
    if (!isField(field)) return false;
    return (
      withThreshold.has(field) ||
      !probabilities.some((_, other) => ranks.least(probabilities, other, thresholds) === 2)
    );
  };
}

/** For classes that are not known: the same one must be predicted whenever the same column has the most. */
function consistentCheck(
  count: number,
  dialect: Dialect,
  { decimals, threshold }: ChosenProbabilities,
): PredictionCheck {
  const isField = fieldTest(dialect);
  const known: (string | undefined)[] = Array.from({ length: count });
  return (field, probabilities) => {
    if (!isField(field)) return false;
    if (threshold !== undefined) return true;
    const most = Math.max(...probabilities);
    const index = probabilities.indexOf(most);
    // Rounded ones that are equal do not tell which was the most.
    if (decimals !== undefined && probabilities.indexOf(most, index + 1) !== -1) return true;
    const other = known[index];
    if (other !== undefined) return other === field;
    if (known.includes(field)) return false;
    known[index] = field;
    return true;
  };
}

/**
 * Whether there must be classes that are not shown: the names alone do not tell, as all may be listed in another order.
 */
function areSomeHidden(probabilities: Float64Array, decimals: number | undefined): boolean {
  const { length } = probabilities;
  const rounded = decimals === undefined ? 0 : (length / 2) * 10 ** -decimals;
  const sum = probabilities.reduce((total, probability) => total + probability, 0);
  return !sumsToOne(sum + rounded, length) && sum + rounded < 1;
}

type RankOf = (probabilities: Float64Array, index: number, thresholds: Float64Array) => number;

/**
 * The rank by which a class is predicted: 2 if it reaches its threshold, 1 without one, else 0. Of a rounded
 * probability, the most and the least that it can be.
 */
function ranksOf(decimals: number | undefined): { most: RankOf; least: RankOf } {
  const rounded = (threshold: number): number =>
    decimals === undefined ? threshold : Number(threshold.toFixed(decimals));
  const rankBy =
    (reaches: (probability: number, threshold: number) => boolean): RankOf =>
    (probabilities, index, thresholds) => {
      const threshold = thresholds[index] ?? Number.NaN;
      if (Number.isNaN(threshold)) return 1;
      return reaches(probabilities[index] ?? Number.NaN, rounded(threshold)) ? 2 : 0;
    };
  const most = rankBy((probability, threshold) => probability >= threshold);
  return {
    most,
    least: decimals === undefined ? most : rankBy((probability, threshold) => probability > threshold),
  };
}

/** A class as it is written, as latin1. */
export const latin1FieldOf = (name: string, dialect: Dialect): string =>
  Buffer.from(writeRow([name], dialect).slice(0, -1)).toString('latin1');

/** Tells whether a text is one field that is not empty, written as rowcast writes it. */
export function fieldTest({ delimiter, quote, escape: escaper = quote }: Dialect): (text: string) => boolean {
  const special = `\\r\\n\\x${hexOf(delimiter)}${[quote, escaper].map(each => (each === undefined ? '' : `\\x${hexOf(each)}`)).join('')}`;
  const plain = new RegExp(`^[^${special}]+$`);
  if (quote === undefined) return text => plain.test(text);
  const mark = `\\x${hexOf(quote)}`;
  const escaping = `\\x${hexOf(escaper ?? quote)}`;
  const quoted = new RegExp(
    `^${mark}(?=[^]*[${special}][^]*${mark}$)(?:[^${mark}${escaping}]|${escaping}[${mark}${escaping}])*${mark}$`,
  );
  return text => plain.test(text) || quoted.test(text);
}

const hexOf = (character: string): string => character.charCodeAt(0).toString(16).padStart(2, '0');
