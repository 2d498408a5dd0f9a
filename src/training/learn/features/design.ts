import { codePointOrder } from '../../../base/contract/predictions.ts';
import { columnEncoderOf, type LearnedColumn } from '../../../formats/columns/column-encoder.ts';
import { asCategory } from '../../../formats/values/coerce.ts';
import { seededRandom } from '../../seeded-random.ts';
import type { RowLabels } from '../loss.ts';
import { type Binning, binsOf, type Feature, learnBinning } from './bins.ts';
import { foldedTargets, learnTargets, type Targets } from './target-encoding.ts';

/**
 * How a column is encoded. A categorical one: its `count` most frequent levels with all others merged; target encoding;
 * or left out. Other columns: `own`.
 */
export type Encoding =
  | { kind: 'own' }
  | { kind: 'merged'; count: number }
  | { kind: 'target'; count: number }
  | { kind: 'left out' };

export interface Labelled {
  labels: RowLabels;
  /** The number of classes; 1 for numbers, which have one score too. */
  classes: number;
}

/** The features of one training, and the columns as the model file describes them. */
export interface Design {
  features: readonly Feature[];
  binnings: readonly Binning[];
  bins: readonly Uint8Array[];
  /** The columns used, as the model file describes them. */
  columns: LearnedColumn[];
  /** The index of each among all columns. */
  indexes: number[];
}

/** Creates designs from columns that are read once; features that do not depend on the training rows are cached. */
export class Designer {
  readonly #columns: readonly EncodableColumn[];
  readonly #labelled: Labelled;
  readonly #learning: Int32Array;
  readonly #seed: number;
  readonly #kept = new Map<string, BinnedFeature>();

  /** @param learning the rows that determine the bins; must not contain testing rows */
  constructor(columns: readonly EncodableColumn[], labelled: Labelled, learning: Int32Array, seed: number) {
    this.#columns = columns;
    this.#labelled = labelled;
    this.#learning = learning;
    this.#seed = seed;
  }

  /**
   * @param encodings one per column
   * @param training the only rows whose classes are looked at
   */
  design(encodings: readonly Encoding[], training: Int32Array): Design {
    const design = { features: [], binnings: [], bins: [], columns: [], indexes: [] } as {
      features: Feature[];
      binnings: Binning[];
      bins: Uint8Array[];
      columns: LearnedColumn[];
      indexes: number[];
    };
    this.#columns.forEach((column, index) => {
      const encoding = encodings[index] ?? { kind: 'own' };
      if (encoding.kind === 'left out') return;
      const { parts, learned } =
        encoding.kind === 'target'
          ? this.#target(column, encoding.count, training)
          : { parts: [this.#fixed(column, index, encoding)], learned: learnedBy(column, encoding) };
      for (const { feature, binning, bins } of parts) {
        design.features.push(feature);
        design.binnings.push(binning);
        design.bins.push(bins);
      }
      design.columns.push(learned);
      design.indexes.push(index);
    });
    return design;
  }

  /** A feature that does not depend on the training rows. */
  #fixed({ column, values }: EncodableColumn, index: number, encoding: Encoding): BinnedFeature {
    const count = encoding.kind === 'merged' ? encoding.count : 0;
    const key = `${index} ${count}`;
    const kept = this.#kept.get(key);
    if (kept !== undefined) return kept;
    const made = this.#binned(
      column.type === 'categorical'
        ? { kind: 'levels', values: values.map(level => Math.min(level, count + 1)) }
        : { kind: 'ordered', values },
    );
    this.#kept.set(key, made);
    return made;
  }

  /** Training rows are encoded from the other folds, to avoid leakage; all other rows from all training rows. */
  #target(
    { column, values, levels }: EncodableColumn,
    count: number,
    training: Int32Array,
  ): { parts: BinnedFeature[]; learned: LearnedColumn } {
    const rows = { ...this.#labelled, levels: values, rows: training };
    const targets = learnTargets(rows, count);
    const folded = foldedTargets(rows, count, seededRandom(this.#seed));
    const isTraining = new Uint8Array(values.length);
    for (const row of training) isTraining[row] = 1;
    const parts = folded.map((own, score) => {
      const all = own.map((value, row) =>
        isTraining[row] === 1 ? value : targetOf(targets, values[row] as number, score),
      );
      return this.#binned({ kind: 'ordered', values: all });
    });
    const learned: LearnedColumn = {
      name: column.name,
      type: 'categorical',
      levels: levels.slice(0, count),
      targets: targets.map(own => [...own]),
    };
    return { parts, learned };
  }

  #binned(feature: Feature): BinnedFeature {
    const { kind, values } = feature;
    const learning = Float64Array.from(this.#learning, row => values[row] as number);
    const binning = learnBinning({ kind, values: learning }, this.#columns.length);
    return { feature, binning, bins: binsOf(feature, binning) };
  }
}

interface BinnedFeature {
  feature: Feature;
  binning: Binning;
  bins: Uint8Array;
}

function targetOf(targets: Targets, level: number, score: number): number {
  return targets[Math.min(level, targets.length) - 1]?.[score] ?? Number.NaN;
}

/** A column as the model file describes it, unless it is target-encoded. */
function learnedBy({ column, levels }: EncodableColumn, encoding: Encoding): LearnedColumn {
  if (column.type !== 'categorical' || encoding.kind !== 'merged') return column;
  const { name, type } = column;
  const own = levels.slice(0, encoding.count);
  return levels.length > own.length
    ? { name, type, levels: own, others: 'merged' }
    : { name, type, levels: own };
}

/** A column's values in all rows, as numbers; NaN for a missing value. */
export interface EncodableColumn {
  column: LearnedColumn;
  /** For a categorical column, level numbers from 1; the number after the last one for all other values. */
  values: Float64Array;
  /** For a categorical column, its `MAX_LEVELS` most frequent values, in descending order of frequency. */
  levels: readonly string[];
  /** Rows of each level. */
  counts: readonly number[];
}

/** Limits the size of a model; columns with mostly distinct values were already left out. */
const MAX_LEVELS = 10_000;

/**
 * Reads a column once for all trainings. Levels are counted in the learning rows only.
 *
 * @param texts one per row
 */
export function columnValues(
  column: LearnedColumn,
  texts: readonly string[],
  learning: Int32Array,
): EncodableColumn {
  if (column.type !== 'categorical') {
    const encode = columnEncoderOf(column);
    return {
      column,
      values: Float64Array.from(texts, text => encode(text) ?? Number.NaN),
      levels: [],
      counts: [],
    };
  }
  const counts = new Map<string, number>();
  for (const row of learning) {
    const level = asCategory(texts[row] ?? '');
    if (level !== null) counts.set(level, (counts.get(level) ?? 0) + 1);
  }
  const ranked = [...counts].sort((a, b) => b[1] - a[1] || codePointOrder(a[0], b[0])).slice(0, MAX_LEVELS);
  const levels = ranked.map(([level]) => level);
  const numbers = new Map(levels.map((level, i) => [level, i + 1]));
  const other = levels.length + 1;
  const values = Float64Array.from(texts, text => {
    const level = asCategory(text);
    return level === null ? Number.NaN : (numbers.get(level) ?? other);
  });
  return { column, values, levels, counts: ranked.map(([, count]) => count) };
}
