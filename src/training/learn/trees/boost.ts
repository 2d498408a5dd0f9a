import { scoresOf } from '../../../reports/model/scores.ts';
import { type Random, shuffled } from '../../rows/seeded-random.ts';
import { classGradients, logisticGradients, priorScores, softmax } from '../loss.ts';
import { TreeGrower } from './grow-tree.ts';
import type { BinnedTable } from './histograms.ts';
import type { TreeSettings } from './split.ts';
import { addScores, type GrownTree } from './tree.ts';

export interface BoostSettings extends TreeSettings {
  /** What each tree's values are multiplied by (shrinkage). */
  rate: number;
  /** The share of the features that each tree may ask about. */
  featureShare: number;
}

/** What is learned from: rows of a table, and all rows' classes. */
export interface LearningRows {
  table: BinnedTable;
  labels: Uint8Array;
  classes: number;
  rows: Int32Array;
}

export interface BoostOptions {
  settings: BoostSettings;
  random: Random;
  maxRounds: number;
  /** Rows that are scored with each round, beside those that are learned from. */
  watched?: Int32Array;
  /** Is asked after each round whether to continue; `scores` are all rows', as `addScores` has them. */
  onRound?: (scores: Float64Array, round: number) => boolean;
}

export interface Boosted {
  /** Each score before the first tree. */
  base: Float64Array;
  /** Round by round, a tree a score. */
  rounds: GrownTree[][];
}

/** Rows that a tree is grown from at most: of more, each tree sees others (stochastic gradient boosting, Friedman 2002). */
export const MAX_TREE_ROWS = 10_000;

/** Gradient boosting of the log loss (Friedman 2001): of two classes the logistic loss, of more the softmax's. */
export function boost({ table, labels, classes, rows }: LearningRows, options: BoostOptions): Boosted {
  const { settings, random, maxRounds, watched, onRound } = options;
  const stride = scoresOf(classes);
  const base = priorScores(labels, rows, classes);
  const scores = new Float64Array(labels.length * stride);
  for (let at = 0; at < scores.length; at += stride) scores.set(base, at);
  const probabilities = stride === 1 ? scores : new Float64Array(scores.length);
  const derivatives = {
    gradients: new Float64Array(labels.length),
    hessians: new Float64Array(labels.length),
  };
  const grower = new TreeGrower(table, settings);
  const usable = table.binnings.flatMap(({ bins }, i) => (bins > 1 ? [i] : []));
  const scored = watched === undefined ? rows : Int32Array.from([...rows, ...watched]);
  const rounds: GrownTree[][] = [];
  for (let round = 0; round < maxRounds; round++) {
    const treeRows = sampledRows(rows, random);
    if (stride > 1) softmax(scores, stride, treeRows, probabilities);
    const trees: GrownTree[] = [];
    for (let index = 0; index < stride; index++) {
      if (stride === 1) logisticGradients(scores, labels, treeRows, derivatives);
      else classGradients(probabilities, labels, treeRows, { stride, index }, derivatives);
      const features = sampledFeatures(usable, settings.featureShare, random);
      trees.push(grower.grow(treeRows, derivatives, features, settings.rate));
    }
    trees.forEach((tree, index) => {
      addScores(tree, table.bins, scored, { scores, stride, index });
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

/** All of the rows, or about `MAX_TREE_ROWS` of them, in their order. */
function sampledRows(rows: Int32Array, random: Random): Int32Array {
  if (rows.length <= MAX_TREE_ROWS) return rows;
  const share = MAX_TREE_ROWS / rows.length;
  return rows.filter(() => random() < share);
}
