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

/** How a score becomes what is predicted. A sigmoid of a single score is the probability of the second of two classes. */
const link = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('identity') }),
  /** 1 / (1 + exp(-factor * score)), also of each of several scores. */
  z.object({ kind: z.literal('sigmoid'), factor: z.number() }),
  /** Exponentials may be those of `fastExp`. */
  z.object({ kind: z.literal('softmax'), exp: z.literal('fast').exactOptional() }),
  z.object({ kind: z.literal('exp'), exp: z.literal('fast').exactOptional() }),
  /** log(1 + exp(score)) */
  z.object({ kind: z.literal('log1pexp') }),
  /** The square with the sign of the score. */
  z.object({ kind: z.literal('signedSquare') }),
  /** 1 if the score is above 0, otherwise 0. */
  z.object({ kind: z.literal('step') }),
]);

/** What is made of the sum of the leaves: its score `scale * sum + bias`, and the prediction `link(score / divisor)`. */
export const outputSpec = z.object({
  divisor: z.number().positive().exactOptional(),
  scale: z.number().exactOptional(),
  /** By score. */
  bias: numberList.exactOptional(),
  link,
  /** Whether predictions are rounded to the shortest decimals of their single precision. */
  isRounded: z.boolean(),
});

export type Link = z.infer<typeof link>;
export type OutputSpec = z.infer<typeof outputSpec>;
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
