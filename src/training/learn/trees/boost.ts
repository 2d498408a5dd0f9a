import { scoreCount } from '../../../models/model/scores.ts';
import { type Random, shuffled } from '../../seeded-random.ts';
import { classGradients, logisticGradients, priorScores, softmax } from '../loss.ts';
import { TreeGrower } from './grow-tree.ts';
import type { BinnedTable } from './histograms.ts';
import { addTreeScores, type GrownTree, type TreeSettings } from './tree.ts';

export interface BoostSettings extends TreeSettings {
  /** The learning rate: each tree's values are multiplied by it (shrinkage). */
  rate: number;
  /** The share of the features that each tree may split on. */
  featureShare: number;
}

/** The training data: rows of a table, and the classes of all rows. */
interface LearningRows {
  table: BinnedTable;
  labels: Uint8Array;
  classes: number;
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

/** Gradient boosting of the log loss (Friedman 2001): logistic loss for two classes, softmax for more. */
export function boost({ table, labels, classes, rows }: LearningRows, options: BoostOptions): Boosted {
  const { settings, random, maxRounds, watched, onRound } = options;
  const stride = scoreCount(classes);
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
