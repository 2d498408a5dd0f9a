import type { PredictorSpec } from '../../../models/model/predictor-spec.ts';
import type { RowSplit } from '../../rows/split-rows.ts';
import { seededRandom, shuffled } from '../../seeded-random.ts';
import type { Design, Labelled } from '../features/design.ts';
import { fitLinear } from '../linear/fit-linear.ts';
import type { Measures, RowLabels } from '../loss.ts';
import { predictRows, treesSpecOf } from '../to-predictor-spec.ts';
import { boost } from '../trees/boost.ts';
import type { Candidate } from './candidates.ts';

export interface Fold {
  training: Int32Array;
  validation: Int32Array;
}

/** A candidate's results on validation rows: one per round, or a single one. */
export interface Validated {
  measures: Measures[];
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
  const { loss } = candidate;
  const { stride } = loss;
  const labels = [...validation].map(row => labelled.labels[row] as number);
  const result: Validated = { measures: [], rows: validation.length };
  const measure = (predictions: Float64Array): number => {
    const measures = loss.measure(predictions, labels);
    result.measures.push(measures);
    return measures.loss;
  };
  if (candidate.kind === 'linear') {
    const spec = learn(candidate, design, labelled, training, { rounds: 0, seed });
    measure(predictRows(spec, design, loss, validation));
    return result;
  }
  const own = new Float64Array(validation.length * stride);
  let best = { loss: Infinity, round: 0 };
  const patience = Math.ceil(PATIENCE / candidate.settings.rate);
  boost(
    { table: design, labels: labelled.labels, loss, rows: training },
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
        const now = measure(loss.predict(own));
        if (now < best.loss) best = { loss: now, round };
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
  { labels }: Labelled,
  rows: Int32Array,
  { rounds, seed }: { rounds: number; seed: number },
): PredictorSpec {
  const { loss } = candidate;
  if (candidate.kind === 'linear')
    return fitLinear({ ...design, labels, loss, rows, penalty: candidate.penalty });
  const random = seededRandom(seed);
  const { settings } = candidate;
  return treesSpecOf(
    boost({ table: design, labels, loss, rows }, { settings, random, maxRounds: rounds }),
    design,
  );
}

export interface ValidationMetrics extends Measures {
  /** The best number of rounds of trees. */
  rounds: number;
}

/** The mean metrics over folds, at the number of rounds with the smallest loss. */
export function metricsOf(folds: readonly Validated[]): ValidationMetrics {
  const rounds = Math.min(...folds.map(({ measures }) => measures.length));
  const rows = folds.reduce((sum, fold) => sum + fold.rows, 0);
  const mean = (of: keyof Measures, round: number) =>
    folds.reduce((sum, fold) => sum + ((fold.measures[round]?.[of] ?? 0) * fold.rows) / rows, 0);
  let best: ValidationMetrics = { loss: Infinity, merit: 0, rounds: 0 };
  for (let round = 0; round < rounds; round++) {
    const loss = mean('loss', round);
    if (loss < best.loss) best = { loss, merit: mean('merit', round), rounds: round + 1 };
  }
  return best;
}

/** Up to this many rows, one validation split is too noisy, so cross-validation is used: 3 folds, or 5 for few rows. */
const MAX_CROSS_VALIDATED = 2500;
const MAX_FIFTHS = 1000;

/** The folds that candidates are compared on: one, or 3 or 5 for cross-validation. None contains testing rows. */
export function foldsOf(split: RowSplit, labels: RowLabels, seed: number): Fold[] {
  const learning = [...split.training, ...split.validation];
  if (learning.length > MAX_CROSS_VALIDATED)
    return [{ training: Int32Array.from(split.training), validation: Int32Array.from(split.validation) }];
  // Dealt out class by class, or by size, so that the folds are stratified.
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
