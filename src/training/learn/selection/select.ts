import type { Encoding } from '../features/design.ts';
import { type Candidate, slower } from './candidates.ts';
import { type ComparedCandidate, type EncodingChoice, Search, type SearchOptions } from './search.ts';
import type { Metrics } from './validate.ts';

/** The configuration that did best on validation. */
export interface Selection {
  candidate: Candidate;
  encodings: readonly Encoding[];
  metrics: Metrics;
  /** All candidates that were compared. */
  compared: ComparedCandidate[];
}

export interface SelectOptions extends SearchOptions {
  choices: readonly EncodingChoice[];
}

/**
 * Selects by validation: first the encodings, column by column, with one candidate; then among all candidates; then the
 * best candidate with half its learning rate.
 */
export function select(options: SelectOptions): Selection {
  const search = new Search(options);
  search.chooseEncodings(options.choices);
  const { finalists, others } = search.race(search.candidates);
  const [first, ...rest] = finalists;
  if (first === undefined) throw new Error('there are no candidates');
  const finer = slower(first.candidate, options.labelled.classes);
  const final =
    finer !== undefined && search.affords([finer], 1)
      ? search.race([first.candidate, finer]).finalists
      : [first];
  const [best = first] = final;
  return {
    candidate: best.candidate,
    encodings: search.encodings,
    metrics: best.metrics,
    compared: [...others, ...rest, ...final],
  };
}
