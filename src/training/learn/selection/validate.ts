import type { PredictorSpec } from '../../../models/model/predictor-spec.ts';
import { probabilitiesOf, scoreCount } from '../../../models/model/scores.ts';
import type { RowSplit } from '../../rows/split-rows.ts';
import { seededRandom, shuffled } from '../../seeded-random.ts';
import { accuracy, logLoss } from '../evaluation.ts';
import type { Design, Labelled } from '../features/design.ts';
import { fitLinear } from '../linear/fit-linear.ts';
import { predictRows, treesSpecOf } from '../to-predictor-spec.ts';
import { boost } from '../trees/boost.ts';
import type { Candidate } from './candidates.ts';

export interface Fold {
  training: Int32Array;
  validation: Int32Array;
}

/** A candidate's results on validation rows: one per round, or a single one. */
export interface Validated {
  losses: number[];
  accuracies: number[];
  rows: number;
}

/** Early stopping: rounds without a smaller loss, times their learning rate; 10 rounds at a rate of 0.1. */
const PATIENCE = 1;

/** Trains on a fold's training rows and evaluates on its validation rows. */
export function validate(
  candidate: Candidate,
  design: Design,
  labelled: Labelled,
  { training, validation }: Fold,
  seed: number,
): Validated {
  const { classes } = labelled;
  const labels = [...validation].map(row => labelled.labels[row] as number);
  const result: Validated = { losses: [], accuracies: [], rows: validation.length };
  const measure = (probabilities: Float64Array): number => {
    const scored = { probabilities, labels, classes };
    const loss = logLoss(scored);
    result.losses.push(loss);
    result.accuracies.push(accuracy(scored));
    return loss;
  };
  if (candidate.kind === 'linear') {
    const spec = fitLinear({ ...design, ...labelled, rows: training, penalty: candidate.penalty });
    measure(predictRows(spec, design, labelled, validation));
    return result;
  }
  const stride = scoreCount(classes);
  const own = new Float64Array(validation.length * stride);
  let best = { loss: Infinity, round: 0 };
  const patience = Math.ceil(PATIENCE / candidate.settings.rate);
  boost(
    { table: design, ...labelled, rows: training },
    {
      settings: candidate.settings,
      random: seededRandom(seed),
      maxRounds: candidate.maxRounds,
      watched: validation,
      onRound: (scores, round) => {
        validation.forEach((row, i) => {
          for (let index = 0; index < stride; index++)
            own[i * stride + index] = scores[row * stride + index] as number;
        });
        const loss = measure(probabilitiesOf(own, classes));
        if (loss < best.loss) best = { loss, round };
        return round - best.round < patience;
      },
    },
  );
  return result;
}

/** Trains on rows, with the number of rounds that was best in validation. */
export function learn(
  candidate: Candidate,
  design: Design,
  labelled: Labelled,
  rows: Int32Array,
  { rounds, seed }: { rounds: number; seed: number },
): PredictorSpec {
  if (candidate.kind === 'linear')
    return fitLinear({ ...design, ...labelled, rows, penalty: candidate.penalty });
  const random = seededRandom(seed);
  const { settings } = candidate;
  return treesSpecOf(
    boost({ table: design, ...labelled, rows }, { settings, random, maxRounds: rounds }),
    design,
  );
}

export interface ValidationMetrics {
  loss: number;
  accuracy: number;
  /** The best number of rounds of trees. */
  rounds: number;
}

/** The mean metrics over folds, at the number of rounds with the smallest loss. */
export function metricsOf(folds: readonly Validated[]): ValidationMetrics {
  const rounds = Math.min(...folds.map(({ losses }) => losses.length));
  const rows = folds.reduce((sum, fold) => sum + fold.rows, 0);
  const mean = (of: 'losses' | 'accuracies', round: number) =>
    folds.reduce((sum, fold) => sum + ((fold[of][round] ?? 0) * fold.rows) / rows, 0);
  let best: ValidationMetrics = { loss: Infinity, accuracy: 0, rounds: 0 };
  for (let round = 0; round < rounds; round++) {
    const loss = mean('losses', round);
    if (loss < best.loss) best = { loss, accuracy: mean('accuracies', round), rounds: round + 1 };
  }
  return best;
}

/** Up to this many rows, one validation split is too noisy, so cross-validation is used: 3 folds, or 5 for few rows. */
const MAX_CROSS_VALIDATED = 2500;
const MAX_FIFTHS = 1000;

/** The folds that candidates are compared on: one, or 3 or 5 for cross-validation. None contains testing rows. */
export function foldsOf(split: RowSplit, labels: Uint8Array, seed: number): Fold[] {
  const learning = [...split.training, ...split.validation];
  if (learning.length > MAX_CROSS_VALIDATED)
    return [{ training: Int32Array.from(split.training), validation: Int32Array.from(split.validation) }];
  // Dealt out class by class, so that the folds are stratified.
  const mixed = shuffled(
    learning.sort((a, b) => a - b),
    seededRandom(seed),
  );
  const dealt = mixed.sort((a, b) => (labels[a] ?? 0) - (labels[b] ?? 0));
  const folds = learning.length > MAX_FIFTHS ? 3 : 5;
  return Array.from({ length: folds }, (_, fold) => ({
    training: sorted(dealt.filter((_, i) => i % folds !== fold)),
    validation: sorted(dealt.filter((_, i) => i % folds === fold)),
  }));
}

const sorted = (rows: readonly number[]): Int32Array => Int32Array.from(rows).sort();
