import type { Dialect } from '../../base/parse-records.ts';
import type { ChosenProbabilities } from '../../formats/appended.ts';
import { type PredictionCheck, predictionCheck, type ShownClasses } from './check-prediction.ts';

/** A possible interpretation of the appended columns. */
export interface Layout {
  /** Number of the probability columns. */
  probabilities: number;
  /** Undefined without a predicted column. */
  isPrediction: PredictionCheck | undefined;
}

/**
 * The possible interpretations of the names of appended columns: the prefix may contain an underscore, and a probability
 * column may be named predicted_….
 */
export function layoutsOf(names: readonly string[], dialect: Dialect, chosen: ChosenProbabilities): Layout[] {
  const before = names.slice(0, -1);
  const isPredicted = names.at(-1)?.startsWith('predicted_') ?? false;
  const listed = listedOf(chosen);
  const shown = (classes: readonly string[]): ShownClasses => ({
    classes,
    areKnown: true,
    areAll: listed === undefined,
  });
  const layouts: Layout[] = [];
  if (isPredicted)
    for (const classes of classesOf(before, listed))
      layouts.push(layoutOf(classes.length, predictionCheck(shown(classes), dialect, chosen)));
  const [classes] = classesOf(names, listed);
  if (classes !== undefined) layouts.push(layoutOf(classes.length, undefined));
  return possible(layouts, chosen);
}

/** The possible interpretations of this many fields without names. */
export function layoutsOfCount(fields: number, dialect: Dialect, chosen: ChosenProbabilities): Layout[] {
  const listed = listedOf(chosen);
  const shown = (count: number): ShownClasses =>
    listed === undefined
      ? { classes: Array.from({ length: count }, () => ''), areKnown: false, areAll: true }
      : { classes: listed, areKnown: true, areAll: false };
  const isPossible = (count: number): boolean => (listed === undefined ? count > 0 : count === listed.length);
  const layouts: Layout[] = [];
  if (isPossible(fields)) layouts.push(layoutOf(fields, undefined));
  if (isPossible(fields - 1))
    layouts.push(layoutOf(fields - 1, predictionCheck(shown(fields - 1), dialect, chosen)));
  return possible(layouts, chosen);
}

const layoutOf = (probabilities: number, isPrediction: PredictionCheck | undefined): Layout => ({
  probabilities,
  isPrediction,
});

/** With thresholds the prediction is always appended, and something is. */
const possible = (layouts: readonly Layout[], { threshold }: ChosenProbabilities): Layout[] =>
  layouts.filter(({ probabilities, isPrediction }) =>
    isPrediction === undefined ? threshold === undefined && probabilities > 0 : true,
  );

/** The classes whose probabilities were chosen; undefined for all. */
function listedOf({ probabilities = 'all' }: ChosenProbabilities): readonly string[] | undefined {
  if (probabilities === 'all') return undefined;
  return probabilities === 'none' ? [] : [...new Set(probabilities)];
}

/** The classes that columns `<prefix>_<class>` may stand for. */
function classesOf(names: readonly string[], listed: readonly string[] | undefined): (readonly string[])[] {
  const [first] = names;
  if (listed?.length === 0) return names.length === 0 ? [[]] : [];
  if (first === undefined) return [];
  const prefixes = [...first.matchAll(/_/g)].map(({ index }) => first.slice(0, index + 1));
  const classes = prefixes
    .filter(prefix => names.every(name => name.startsWith(prefix)))
    .map(prefix => names.map(name => name.slice(prefix.length)));
  if (listed === undefined) return classes;
  return classes.filter(
    found => found.length === listed.length && found.every((name, index) => name === listed[index]),
  );
}
