import type { Designer, Encoding, Labelled } from '../features/design.ts';
import { type Candidate, candidatesFor, type Size, workOf } from './candidates.ts';
import { type Fold, type Metrics, metricsOf, type Validated, validate } from './validate.ts';

export interface ComparedCandidate {
  candidate: Candidate;
  metrics: Metrics;
  /** The number of rows it was trained on. */
  rows: number;
}

/** A column, and the encodings to try; the first is the default. */
export interface EncodingChoice {
  index: number;
  encodings: readonly Encoding[];
}

export interface SearchOptions {
  designer: Designer;
  labelled: Labelled;
  /** The default encoding of each column. */
  encodings: readonly Encoding[];
  /** Without testing rows. */
  folds: readonly Fold[];
  seed: number;
  /** The budget, by default `TOTAL_WORK`. */
  totalWork?: number;
}

/**
 * The budget of the search, in additions (see `workOf`) rather than seconds, so that the same data and seed give the
 * same model on any machine: about five seconds on a core of 2020, and a tenth of it per trial. A training
 * that has started is completed, and every candidate is trained at least once.
 */
const TOTAL_WORK = 1.2e9;
const TRIAL_SHARE = 0.1;
const MIN_TRIAL_ROWS = 1000;
/** The folds used to decide which candidates are worth training on the others. */
const FIRST_FOLDS = 3;
const FINALISTS = 2;

/** The results so far, and the remaining budget. */
export class Search {
  readonly #options: SearchOptions;
  readonly #trialFold: Fold;
  readonly candidates: readonly Candidate[];
  /** Results by a fold's training rows, then by candidate and encodings. */
  readonly #known = new Map<Int32Array, Map<string, Validated>>();
  encodings: Encoding[];
  readonly #totalWork: number;
  #left: number;

  constructor(options: SearchOptions) {
    this.#options = options;
    this.#totalWork = options.totalWork ?? TOTAL_WORK;
    this.#left = this.#totalWork;
    this.encodings = [...options.encodings];
    const [first] = options.folds;
    if (first === undefined) throw new Error('there are no folds');
    this.candidates = candidatesFor(this.#size(first.training.length));
    const rowWork = Math.max(...this.candidates.map(candidate => workOf(candidate, this.#size(1))));
    const rows = Math.max(MIN_TRIAL_ROWS, Math.floor((TRIAL_SHARE * this.#totalWork) / rowWork));
    this.#trialFold = {
      training: spread(first.training, rows),
      validation: spread(first.validation, rows),
    };
  }

  /** Column by column, selects the encoding with which the first candidate does best. */
  chooseEncodings(choices: readonly EncodingChoice[]): void {
    const [candidate] = this.candidates;
    if (candidate === undefined || choices.length === 0) return;
    let best = this.#validate(candidate, this.#trialFold);
    for (const { index, encodings } of choices) {
      for (const encoding of encodings.slice(1)) {
        if (this.#left < this.#totalWork / 2) return;
        const before = this.encodings[index];
        const used = this.encodings.filter(({ kind }) => kind !== 'left out').length;
        if (before === undefined || (encoding.kind === 'left out' && used === 1)) continue;
        this.encodings[index] = encoding;
        const trained = this.#validate(candidate, this.#trialFold);
        if (metricsOf([trained]).loss < metricsOf([best]).loss) best = trained;
        else this.encodings[index] = before;
      }
    }
  }

  /**
   * Compares candidates in stages (successive halving). If the budget is too small for all rows, candidates are first
   * compared on a sample of the first fold, then on the first folds, and only the finalists on all folds.
   *
   * @returns the finalists, best first, and the others with the metrics of their last stage
   */
  race(candidates: readonly Candidate[]): { finalists: ComparedCandidate[]; others: ComparedCandidate[] } {
    const { folds } = this.#options;
    const others: ComparedCandidate[] = [];
    let left = candidates;
    const narrow = (used: readonly Fold[]): void => {
      const compared = this.#compare(left, used);
      left = compared.slice(0, FINALISTS).map(({ candidate }) => candidate);
      others.push(...compared.slice(FINALISTS));
    };
    const first = folds.slice(0, FIRST_FOLDS);
    if (left.length > FINALISTS && !this.affords(left, first.length)) narrow([this.#trialFold]);
    if (left.length > FINALISTS && folds.length > first.length) narrow(first);
    return { finalists: this.#compare(left, this.affords(left, folds.length) ? folds : first), others };
  }

  /** @param folds the number of folds */
  affords(candidates: readonly Candidate[], folds: number): boolean {
    const size = this.#size(this.#options.folds[0]?.training.length ?? 0);
    const work = candidates.reduce((sum, candidate) => sum + workOf(candidate, size), 0);
    return folds * work <= this.#left;
  }

  #compare(candidates: readonly Candidate[], folds: readonly Fold[]): ComparedCandidate[] {
    const rows = folds[0]?.training.length ?? 0;
    return candidates
      .map(candidate => {
        const metrics = metricsOf(folds.map(fold => this.#validate(candidate, fold)));
        return { candidate, metrics, rows };
      })
      .sort((a, b) => a.metrics.loss - b.metrics.loss);
  }

  #size(rows: number): Size {
    return { rows, features: this.encodings.length, classes: this.#options.labelled.classes };
  }

  #validate(candidate: Candidate, fold: Fold): Validated {
    const { designer, labelled, seed } = this.#options;
    const known = this.#known.get(fold.training) ?? new Map<string, Validated>();
    this.#known.set(fold.training, known);
    const key = JSON.stringify([candidate, this.encodings]);
    const before = known.get(key);
    if (before !== undefined) return before;
    const design = designer.design(this.encodings, fold.training);
    const validated = validate(candidate, design, labelled, fold, seed);
    const scale = { rows: fold.training.length, features: design.features.length, classes: labelled.classes };
    this.#left -= workOf(candidate, scale, validated.losses.length);
    known.set(key, validated);
    return validated;
  }
}

/** At most `most` of the rows, evenly spread. */
function spread(rows: Int32Array, most: number): Int32Array {
  if (rows.length <= most) return rows;
  return Int32Array.from({ length: most }, (_, i) => rows[Math.floor((i * rows.length) / most)] as number);
}
