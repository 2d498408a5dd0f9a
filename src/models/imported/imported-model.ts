import type { Link } from '../model/predictor-spec.ts';

/** A library whose models are read. */
export type Library = 'LightGBM' | 'XGBoost' | 'CatBoost';

/** How the leaves of a row become its scores: they are added to the base, in the order of the trees. */
export interface Sum {
  /** What is added in: doubles, or each sum rounded to a float32. */
  precision: 'double' | 'single';
  /** By score, what the sum begins with. */
  base: readonly number[];
  /** The score is divided by this number, the iterations of a random forest of LightGBM; 1 if omitted. */
  divisor?: number;
  /** The sum is multiplied with this one, then `bias` is added, by score: CatBoost. */
  scale?: number;
  bias?: readonly number[];
}

/** A model of another library, as far as its predictions depend on it, with what its file says about it. */
export interface ImportedModel {
  library: Library;
  /** The version of the format, or of the library that wrote the file, for people: `v4`, `3.4.1`. */
  version: string;
  /** As the file names it; `custom` if it does not. */
  objective: string;
  /** By the index that trees use. */
  features: readonly ImportedFeature[];
  /** In the order of the file, as many iterations as are used. */
  trees: readonly ImportedTree[];
  sum: Sum;
  link: Link;
  /**
   * What is predicted: probabilities of `count` classes, whose names are there if the file has them, or `count` numbers.
   */
  predicts:
    | { kind: 'classes'; count: number; names?: readonly string[] }
    | { kind: 'numbers'; count: number };
  /** Iterations of the file, the best one's count if early stopping has left it, and how many `trees` has. */
  iterations: { all: number; best?: number | undefined; used: number };
  /** What was assumed, one sentence each. */
  notes: readonly string[];
  /** Describes the features again, with what a person or MLflow says of them; absent if that changes nothing. */
  describe?: ((said: SaidOfFeatures) => Pick<ImportedModel, 'features' | 'trees' | 'notes'>) | undefined;
}

/** What is said of features that the file of a model does not say, by the index that trees use. */
export interface SaidOfFeatures {
  /** Their categories, in the order of the codes. */
  categories: ReadonlyMap<number, readonly string[]>;
  /** Those whose values are texts. */
  texts: ReadonlySet<number>;
}

export interface ImportedFeature {
  /** Undefined if the file has only positions (`Column_0`, `f0`, no names). */
  name: string | undefined;
  /** Whether spaces of the name became `_`. */
  hasUnderscores?: boolean;
  /** Undefined if the feature is a number. */
  categories: Categories | undefined;
}

/** Which values are behind the codes that trees use. */
export type Categories =
  /** By code. The code of another text is what the function returns, or the index in a list that replaces these. */
  | { kind: 'listed'; texts: ReadonlyMap<number, string>; codeOf?(text: string): number }
  /** The values are the codes, whole numbers from 0 on. */
  | { kind: 'codes' }
  /**
   * The file does not say. Whoever knows them gives a list of texts: the code is the index of a text, or, if there is a
   * function, what it returns for the text. `because` says why, as the end of a sentence. Only one of the features
   * `oneOf` may have a list, and the others are numbers.
   */
  | { kind: 'unknown'; because?: string; oneOf?: readonly number[]; codeOf?(text: string): number };

/**
 * A tree as parallel lists, by node; node 0 is the root. A value goes left if it is at most `values[i]`, which is the
 * value of a leaf in a leaf; a category goes left if its code is in `sets.get(i)`. A missing one goes left if
 * `missingLeft[i]` is 1.
 */
export interface ImportedTree {
  /** The score that it adds to. */
  score: number;
  /** -1 for a leaf. */
  features: Int32Array;
  /** Finite, but for cuts: infinity separates missing values from all others. */
  values: Float64Array;
  left: Int32Array;
  right: Int32Array;
  missingLeft: Uint8Array;
  /** Nodes at which a value up to 1e-35 (as a float32) counts as missing; none if omitted. */
  zeroIsMissing?: Uint8Array;
  /** By node that tests categories, the codes that go left. */
  sets: ReadonlyMap<number, readonly number[]>;
}

/** Which iterations are used: as the library does by default, up to the best one, all of them, or so many. */
export type Iterations = 'default' | 'best' | 'all' | number;

/** Limits of a file that is imported: larger ones than any that were seen, and far below what memory allows. */
export const MAX_MODEL_BYTES = 1 << 30;
export const MAX_TREES = 1 << 17;
export const MAX_NODES = 1 << 22;
export const MAX_TREE_DEPTH = 1 << 10;
export const MAX_IMPORTED_CLASSES = 1000;
