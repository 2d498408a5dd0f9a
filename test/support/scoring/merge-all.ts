import { RowcastError } from '../../../src/base/errors.ts';
import type { MergeOptions } from '../../../src/scoring/merge/appended-for.ts';
import { Merger } from '../../../src/scoring/merge/merge.ts';
import type { MergedPiece } from '../../../src/scoring/merge/merged-piece.ts';
import type { ScoredBatch } from '../../../src/scoring/scorer.ts';
import { SERVICE_ERROR } from './changed-csv.ts';
import type { EncodedInput } from './encoded.ts';

const CLASSES = ['no', 'yes'];

/** The same response to every persona, or an error. */
export function respond({ encoded }: EncodedInput, fails: (persona: number) => boolean): ScoredBatch[] {
  return encoded.map(one => {
    const probabilities = new Float64Array(2 * one.personas).map((_, at) => (at % 2 === 0 ? 0.1 : 0.9));
    const failed = Array.from({ length: one.personas }, (_, persona) => persona).filter(fails);
    const classes = failed.length === one.personas ? [] : CLASSES;
    const errors = new Map(failed.map(persona => [persona, SERVICE_ERROR]));
    return {
      ...one,
      predictions: {
        kind: 'distribution',
        classes,
        probabilities: classes.length === 0 ? NONE : probabilities,
        errors,
      },
    };
  });
}

const NONE = new Float64Array();

/** @param areClassesKnown whether the report names the classes; otherwise the first response does */
export function mergerOf(
  { layout }: EncodedInput,
  areClassesKnown: boolean,
  resumed?: MergeOptions['resumed'],
): Merger {
  const report = { tech_specs: {}, drivers: [], predicts: 'x' };
  return new Merger({
    layout,
    report,
    classes: areClassesKnown ? CLASSES : undefined,
    prefix: 'p',
    prediction: true,
    resumed,
  });
}

/** What a run writes for an input in which some personas are rejected; undefined if the classes are not known. */
export function mergeAll(
  input: EncodedInput,
  fails: (persona: number) => boolean,
  areClassesKnown: boolean,
): MergedPiece[] | undefined {
  const merger = mergerOf(input, areClassesKnown);
  const merged = respond(input, fails).flatMap(scored => [...merger.merge(scored)]);
  try {
    return [...merged, ...merger.end()];
  } catch (error) {
    if (error instanceof RowcastError && error.code === 'unknown_classes') return undefined;
    throw error;
  }
}

/** The rest of a run that is resumed at a commit point. */
export function mergeRest(
  input: EncodedInput,
  rest: readonly ScoredBatch[],
  lastByte: number | undefined,
): Buffer {
  const merger = mergerOf(input, false, {
    predictionType: { kind: 'distribution', classes: CLASSES },
    lastByte,
  });
  return Buffer.concat(rest.flatMap(scored => [...merger.merge(scored)]).map(({ bytes }) => bytes));
}
