import { type Random, shuffled } from '../../seeded-random.ts';
import type { Loss, RowLabels } from '../loss.ts';
import { TreeGrower } from './grow-tree.ts';
import type { BinnedTable } from './histograms.ts';
import { addTreeScores, type GrownTree, type TreeSettings } from './tree.ts';

export interface BoostSettings extends TreeSettings {
  /** The learning rate: each tree's values are multiplied by it (shrinkage). */
  rate: number;
  /** The share of the features that each tree may split on. */
  featureShare: number;
}

/** The training data: rows of a table, and the labels of all rows. */
interface LearningRows {
  table: BinnedTable;
  labels: RowLabels;
  loss: Loss;
  rows: Int32Array;
}

interface BoostOptions {
  settings: BoostSettings;
  random: Random;
  maxRounds: number;
  /** Rows that are scored each round in addition to the training rows. */
  watched?: Int32Array;
  /** Called after each round with the scores of all rows, as in `addScores`; returns whether to continue. */
  onRound?: (scores: Float64Array, round: number) => boolean;
}

export interface Boosted {
  /** The initial value of each score. */
  base: Float64Array;
  /** For each round, a tree per score. */
  rounds: GrownTree[][];
}

/** The most rows per tree: of more, each tree sees a random sample (stochastic gradient boosting, Friedman 2002). */
export const MAX_TREE_ROWS = 10_000;

/** Gradient boosting of a loss (Friedman 2001). */
export function boost({ table, labels, loss, rows }: LearningRows, options: BoostOptions): Boosted {
  const { settings, random, maxRounds, watched, onRound } = options;
  const { stride } = loss;
  const base = loss.prior(labels, rows);
  const scores = new Float64Array(labels.length * stride);
  for (let at = 0; at < scores.length; at += stride) scores.set(base, at);
  const derivatives = {
    gradients: new Float64Array(labels.length),
    hessians: new Float64Array(labels.length),
  };
  const derive = loss.derivativesOf(labels);
  const leafValue =
    loss.leafValue && ((own: Int32Array) => loss.leafValue?.(scores, labels, own, settings.l2) ?? 0);
  const grower = new TreeGrower(table, settings, leafValue);
  const usable = table.binnings.flatMap(({ bins }, i) => (bins > 1 ? [i] : []));
  const scored = watched === undefined ? rows : Int32Array.from([...rows, ...watched]);
  const rounds: GrownTree[][] = [];
  for (let round = 0; round < maxRounds; round++) {
    const treeRows = sampledRows(rows, random);
    const trees: GrownTree[] = [];
    for (let index = 0; index < stride; index++) {
      derive(scores, treeRows, index, derivatives);
      const features = sampledFeatures(usable, settings.featureShare, random);
      trees.push(grower.grow(treeRows, derivatives, features, settings.rate));
    }
    trees.forEach((tree, index) => {
      addTreeScores(tree, table.bins, scored, { scores, stride, index });
    });
    rounds.push(trees);
    if (onRound !== undefined && !onRound(scores, round)) break;
  }
  return { base, rounds };
}

function sampledFeatures(all: readonly number[], share: number, random: Random): readonly number[] {
  if (share >= 1) return all;
  return shuffled(all, random)
    .slice(0, Math.max(1, Math.ceil(share * all.length)))
    .sort((a, b) => a - b);
}

/** All rows, or a random sample of about `MAX_TREE_ROWS`, in order. */
function sampledRows(rows: Int32Array, random: Random): Int32Array {
  if (rows.length <= MAX_TREE_ROWS) return rows;
  const share = MAX_TREE_ROWS / rows.length;
  return rows.filter(() => random() < share);
}
