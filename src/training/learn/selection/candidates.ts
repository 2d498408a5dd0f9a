import { scoreCount } from '../../../models/model/scores.ts';
import type { Loss } from '../loss.ts';
import { type BoostSettings, MAX_TREE_ROWS } from '../trees/boost.ts';

/** A kind of model with its settings. */
export type Candidate =
  | { kind: 'trees'; name: string; loss: Loss; settings: BoostSettings; maxRounds: number }
  | { kind: 'linear'; name: string; loss: Loss; penalty: number };

/** The maximum time to predict a row; beyond it the model would be the bottleneck of every run. */
const MAX_ROW_MICROSECONDS = 50;
/** Time per tree node on a core of about 2020. A constant, so that the same data give the same model on any machine. */
const STEP_NANOSECONDS = 10;
/** Models with many classes may be slower; fewer rounds would learn too little. */
const MIN_ROUNDS = 30;
const MAX_ROUNDS = 200;

/** The size of the training data, which determines the cost of a training. */
export interface Size {
  rows: number;
  features: number;
  classes: number;
}

/** With fewer rows, trees with many large leaves are worse than the others. */
const MANY_ROWS = 3000;
/** With at most this many features, every tree may split on all of them. */
const MANY_FEATURES = 8;

/**
 * The candidates: trees with few or many leaves, and linear models with increasing penalties.
 *
 * @param linearLoss what linear models minimize
 */
export function candidatesFor({ rows, features }: Size, loss: Loss, linearLoss = loss): Candidate[] {
  const featureShare = features > MANY_FEATURES ? 0.5 : 1;
  const shared = { l2: 1, rate: 0.1, featureShare };
  return [
    trees(loss, { leaves: 6, leafRows: 10, ...shared }),
    trees(loss, { leaves: 16, leafRows: 5, ...shared }),
    ...(rows >= MANY_ROWS ? [trees(loss, { leaves: 31, leafRows: 20, ...shared })] : []),
    ...[1, 10, 100].map(penalty => linear(linearLoss, penalty)),
  ];
}

/** A candidate with the same trees, but with half the learning rate and up to twice the rounds. */
export function slower(candidate: Candidate): Candidate | undefined {
  if (candidate.kind !== 'trees') return undefined;
  const { settings } = candidate;
  const finer = trees(candidate.loss, { ...settings, rate: settings.rate / 2 });
  return finer.kind === 'trees' && finer.settings.rate < settings.rate ? finer : undefined;
}

function trees(loss: Loss, settings: BoostSettings): Candidate {
  const { objective, stride } = loss;
  const steps = stride * (Math.log2(settings.leaves) + 1);
  const affordable = Math.floor((1000 * MAX_ROW_MICROSECONDS) / (STEP_NANOSECONDS * steps));
  const maxRounds = Math.max(MIN_ROUNDS, Math.min(affordable, Math.ceil((MAX_ROUNDS * 0.1) / settings.rate)));
  // Few rounds need a high learning rate.
  const rate = Math.min(0.3, Math.max(settings.rate, 8 / maxRounds));
  return {
    kind: 'trees',
    name: `gradient boosted trees with ${settings.leaves} leaves of at least ${settings.leafRows} rows and a learning rate of ${Number(rate.toFixed(3))}${objective === undefined ? '' : `, minimizing the ${objective}`}`,
    loss,
    settings: { ...settings, rate },
    maxRounds,
  };
}

function linear(loss: Loss, penalty: number): Candidate {
  return {
    kind: 'linear',
    name: `${loss.linear?.algorithm} with an L2 penalty of ${penalty}`,
    loss,
    penalty,
  };
}

/** Average passes over a feature's rows per round of trees, given that children are smaller than their parents. */
const ROUND_PASSES = 2.5;
/** Work per row and round independent of the features: derivatives, tree traversal, score. */
const ROW_STEPS = 15;
const ITERATIONS = 120;

/**
 * The estimated cost of a training in additions, independent of the machine. A core of about 2020 does 150 to 300
 * million per second.
 *
 * @param rounds rounds of trees; by default the maximum
 */
export function trainingWork(
  candidate: Candidate,
  { rows, features, classes }: Size,
  rounds?: number,
): number {
  const scores = scoreCount(classes);
  switch (candidate.kind) {
    case 'trees': {
      const { settings, maxRounds } = candidate;
      const cells = Math.min(rows, MAX_TREE_ROWS) * features * settings.featureShare;
      return (cells * ROUND_PASSES + rows * ROW_STEPS) * scores * (rounds ?? maxRounds);
    }
    case 'linear':
      return rows * features * scores * ITERATIONS;
  }
}
