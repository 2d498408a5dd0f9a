import { scoresOf } from '../../../reports/model/scores.ts';
import { type BoostSettings, MAX_TREE_ROWS } from '../trees/boost.ts';

/** A kind of model with its settings. */
export type Candidate =
  | { kind: 'trees'; name: string; settings: BoostSettings; maxRounds: number }
  | { kind: 'linear'; name: string; penalty: number };

/** A row may take so long to predict, or the model would be the bottleneck of every run. */
const MAX_ROW_MICROSECONDS = 50;
/** From a node to the next, in a core of 2020 or so. Not measured where it runs: the same data give the same model. */
const STEP_NANOSECONDS = 10;
/** A model of many classes is slower, or it would learn too little. */
const MIN_ROUNDS = 30;
const MAX_ROUNDS = 200;

/** What is learned from, as far as it decides what a training costs. */
export interface Size {
  rows: number;
  features: number;
  classes: number;
}

/** With fewer rows, trees of many large leaves lose to the others. */
const MANY_ROWS = 3000;
/** Of fewer features, a tree may ask about all. */
const MANY_FEATURES = 8;

/** What is compared: trees of many leaves or few, and linear models of rising penalty. */
export function candidatesFor({ rows, features, classes }: Size): Candidate[] {
  const featureShare = features > MANY_FEATURES ? 0.5 : 1;
  const shared = { l2: 1, rate: 0.1, featureShare };
  return [
    trees(classes, { leaves: 6, leafRows: 10, ...shared }),
    trees(classes, { leaves: 16, leafRows: 5, ...shared }),
    ...(rows >= MANY_ROWS ? [trees(classes, { leaves: 31, leafRows: 20, ...shared })] : []),
    ...[1, 10, 100].map(linear),
  ];
}

/** The same trees in twice as many, half as large steps. */
export function slower(candidate: Candidate, classes: number): Candidate | undefined {
  if (candidate.kind !== 'trees') return undefined;
  const { settings } = candidate;
  const finer = trees(classes, { ...settings, rate: settings.rate / 2 });
  return finer.kind === 'trees' && finer.settings.rate < settings.rate ? finer : undefined;
}

function trees(classes: number, settings: BoostSettings): Candidate {
  const steps = scoresOf(classes) * (Math.log2(settings.leaves) + 1);
  const affordable = Math.floor((1000 * MAX_ROW_MICROSECONDS) / (STEP_NANOSECONDS * steps));
  const maxRounds = Math.max(MIN_ROUNDS, Math.min(affordable, Math.ceil((MAX_ROUNDS * 0.1) / settings.rate)));
  // Few rounds need large steps.
  const rate = Math.min(0.3, Math.max(settings.rate, 8 / maxRounds));
  return {
    kind: 'trees',
    name: `gradient boosted trees of ${settings.leaves} leaves of ${settings.leafRows} rows and more`,
    settings: { ...settings, rate },
    maxRounds,
  };
}

function linear(penalty: number): Candidate {
  return { kind: 'linear', name: `a linear model with a penalty of ${penalty}`, penalty };
}

/** Passes over a feature's rows that a round of trees takes, in the mean: children are smaller than their parents. */
const ROUND_PASSES = 2.5;
/** What a round takes for a row whatever the features: derivatives, its way through the tree, its score. */
const ROW_STEPS = 15;
const ITERATIONS = 120;

/**
 * About how many times a training adds a value to a sum: its cost, whatever the machine. A core of 2020 or so does
 * 150 to 300 million in a second.
 *
 * @param rounds of trees; by default the most
 */
export function workOf(candidate: Candidate, { rows, features, classes }: Size, rounds?: number): number {
  const scores = scoresOf(classes);
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
