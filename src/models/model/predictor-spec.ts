import * as z from 'zod';
import type { LearnedColumn } from '../../formats/columns/column-encoder.ts';

/** A level is stored in 16 bits. */
export const MAX_LEVEL = 65_535;

/**
 * The predictor in a model file: trees or a linear model. Features are the model's columns in order; a target-encoded
 * column has one feature per score. There is one score per class, or a single one for two classes.
 */

/**
 * A list that is checked in one loop, because a schema takes a microsecond per number, before the first row is scored.
 */
const listOf = (isValid: (value: unknown) => boolean) =>
  z
    .custom<number[]>(value => Array.isArray(value))
    .superRefine((list, context) => {
      const at = list.findIndex(value => !isValid(value));
      const code = 'custom' as const; // zod's, not one of ours
      if (at !== -1) context.addIssue({ code, path: [at] });
    });

/** Indexes are kept in 32 bits. */
const isIndex = (value: unknown): boolean => (value as number) >= 0 && value === ((value as number) | 0);

const numberList = listOf(Number.isFinite);
const indexList = listOf(isIndex);
/** Indexes; -1 stands for no index. */
const optionalIndexList = listOf(value => value === -1 || isIndex(value));

/**
 * Nodes of all trees in preorder, as parallel lists, so that a node's left child is the next node. Node i is a leaf if
 * `features[i]` is -1, and adds `values[i]` to the score. Otherwise it splits on that feature: a number goes left up to
 * `values[i]`; if `sets[i]` is not -1, a level goes left if it is in `levels[sets[i]]`. A missing value goes left if
 * `missing[i]` is 1. Everything else goes right, to node `right[i]`. The leaves of a row are added to the base in the order
 * of the trees, as doubles, or if `sum` says so, each sum rounded to single precision.
 */
const treesSpec = z.object({
  kind: z.literal('trees'),
  /** The initial value of each score. */
  base: numberList,
  /** The root node of each tree; tree i adds to score i modulo the number of scores. */
  roots: indexList,
  features: optionalIndexList,
  values: numberList,
  right: indexList,
  missing: listOf(value => value === 0 || value === 1),
  sets: optionalIndexList,
  levels: z.array(
    listOf(value => isIndex(value) && (value as number) >= 1 && (value as number) <= MAX_LEVEL),
  ),
  sum: z.literal('single').exactOptional(),
  /** Features of which a number counts as missing if its size is at most `ZERO`. */
  zeros: indexList.exactOptional(),
});

/** What LightGBM takes for zero: 1e-35 in single precision. */
export const ZERO = Math.fround(1e-35);

/**
 * Multinomial logistic regression. A number x adds `weights * (min(max(x, low), high) - mean) / scale` to the scores,
 * a missing one `missing`; level i adds `levels[i]`, a missing one `levels[0]`.
 */
const linearSpec = z.object({
  kind: z.literal('linear'),
  base: numberList,
  features: z.array(
    z.discriminatedUnion('kind', [
      z.object({
        kind: z.literal('number'),
        low: z.number(),
        high: z.number(),
        mean: z.number(),
        scale: z.number().positive(),
        weights: numberList,
        missing: numberList,
      }),
      z.object({ kind: z.literal('levels'), levels: z.array(numberList).min(1) }),
    ]),
  ),
});

export const predictorSpec = z.discriminatedUnion('kind', [treesSpec, linearSpec]);

export type TreesSpec = z.infer<typeof treesSpec>;
export type LinearSpec = z.infer<typeof linearSpec>;
export type PredictorSpec = z.infer<typeof predictorSpec>;

/** What a predictor knows about a feature: for a categorical one, its highest level; levels start at 1. */
export interface FeatureKind {
  highest: number | undefined;
}

/** The features of a model's columns, in order: a target-encoded column is one for each score. */
export function featureKinds(columns: readonly LearnedColumn[], stride: number): FeatureKind[] {
  return columns.flatMap((column): FeatureKind[] => {
    if (column.type !== 'categorical') return [{ highest: undefined }];
    if (column.targets !== undefined) return Array.from({ length: stride }, () => ({ highest: undefined }));
    return [{ highest: column.levels.length + (column.others === 'merged' ? 1 : 0) }];
  });
}
