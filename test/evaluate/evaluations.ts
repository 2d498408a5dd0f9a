import type { Evaluation, EvaluationFacts } from '../../src/evaluate/evaluation.ts';
import { evaluationOf } from '../../src/evaluate/evaluation-of.ts';
import { ClassTally } from '../../src/evaluate/statistics/class-tally.ts';
import { NumberTally } from '../../src/evaluate/statistics/number-tally.ts';
import { SegmentTallies } from '../../src/evaluate/statistics/segment-tallies.ts';
import { classSets, classTallyOf, numberSets, uniform } from './data-sets.ts';
import { facts } from './facts.ts';

/** An evaluation of 4,000 rows by plan; labels come for high probabilities first. */
export function churned(
  { shift = 0, plans = ['basic', 'plus'] }: { shift?: number; plans?: readonly string[] } = {},
  more: Partial<EvaluationFacts> = {},
): Evaluation {
  const classes = ['no', 'yes'];
  const tally = new ClassTally(classes);
  const segments = new SegmentTallies('plan', size => new ClassTally(classes, { size }));
  const row = { values: new Float64Array(2), label: -1 };
  for (let i = 0; i < 4000; i++) {
    const p = uniform(1, i) * uniform(2, i);
    row.values[0] = 1 - p;
    row.values[1] = p;
    for (const each of [tally, segments.of(plans[i % plans.length] ?? '')])
      if (uniform(4, i) < 0.2 + 0.5 * p) each.addLabelled(row, uniform(3, i) < p + shift ? 1 : 0);
      else each.addUnlabelled(row);
  }
  return evaluationOf(tally, { ...facts, ...more }, [segments]);
}

/** An evaluation of predicted numbers by region. */
export function revenue(): Evaluation {
  const tally = new NumberTally();
  const segments = new SegmentTallies('region', size => new NumberTally({ size }));
  const row = { values: new Float64Array(1), label: -1 };
  for (let i = 0; i < 2000; i++) {
    const [actual, predicted] = numberSets.numbers?.of(i) ?? [0, 0];
    row.values[0] = predicted;
    for (const each of [tally, segments.of(`region ${i % 3}`)]) each.addLabelled(row, actual);
  }
  return evaluationOf(tally, { ...facts, predicts: 'revenue', threshold: null }, [segments]);
}

/** An evaluation of one of the data sets. */
export function evaluationOfSet(name: string): Evaluation {
  const set = classSets[name];
  if (set === undefined) throw new Error(`there is no set ${name}`);
  return evaluationOf(classTallyOf(set), facts);
}
