import { type Candidate, candidatesFor, type Size, slower, workOf } from './candidates.ts';
import type { Designer, Encoding, Labelled } from './design.ts';
import { type Fold, type Merit, meritOf, type Validated, validate } from './validate.ts';

/** The configuration that did best on validation. */
export interface Selection {
  candidate: Candidate;
  encodings: readonly Encoding[];
  merit: Merit;
  /** All that were compared. */
  compared: Compared[];
}

export interface Compared {
  candidate: Candidate;
  merit: Merit;
  /** That it was learned from. */
  rows: number;
}

/** A column, and the ways in which it may be encoded; the first is the usual one. */
export interface EncodingChoice {
  place: number;
  encodings: readonly Encoding[];
}

export interface SelectOptions {
  designer: Designer;
  labelled: Labelled;
  /** The usual encoding of each column. */
  encodings: readonly Encoding[];
  choices: readonly EncodingChoice[];
  /** Without testing rows. */
  folds: readonly Fold[];
  seed: number;
}

/**
 * The budget, in additions as `workOf` counts them, not in seconds, so that the same data and seed give the same model
 * on any machine: half a second for a trial, and five in all, of a core of 2020 or so. A training that has begun is
 * finished, and each candidate is tried at least once.
 */
const TRIAL_WORK = 1.2e8;
const TOTAL_WORK = 1.2e9;
const MIN_TRIAL_ROWS = 1000;
const FINALISTS = 2;

/**
 * Compares on validation: first the encodings, column by column, with one candidate; then all candidates; then the best
 * in smaller steps. Where the budget is too small for all rows and folds, candidates are tried on a part of the first
 * fold, and only the best of them compared on all rows.
 */
export function select(options: SelectOptions): Selection {
  const search = new Search(options);
  search.chooseEncodings(options.choices);
  const { candidates } = search;
  const trials = search.affordsAll() ? [] : candidates.map(candidate => search.trial(candidate)).sort(byLoss);
  const finalists = trials.slice(0, FINALISTS).map(({ candidate }) => candidate);
  const compared = search.compare(trials.length === 0 ? candidates : finalists);
  const [first] = compared;
  const finer = first && slower(first.candidate, options.labelled.classes);
  if (finer !== undefined && search.affords(finer)) compared.push(...search.compare([finer]));
  const [best] = compared.toSorted(byLoss);
  if (best === undefined) throw new Error('there are no candidates');
  return {
    candidate: best.candidate,
    encodings: search.encodings,
    merit: best.merit,
    compared: [...trials.slice(FINALISTS), ...compared],
  };
}

const byLoss = (a: Compared, b: Compared): number => a.merit.loss - b.merit.loss;

class Search {
  readonly #options: SelectOptions;
  readonly #trialFold: Fold;
  readonly candidates: readonly Candidate[];
  /** By a fold's training rows, then by candidate and encodings. */
  readonly #known = new Map<Int32Array, Map<string, Validated>>();
  encodings: Encoding[];
  #left = TOTAL_WORK;
  #folds = 1;

  constructor(options: SelectOptions) {
    this.#options = options;
    this.encodings = [...options.encodings];
    const [first] = options.folds;
    if (first === undefined) throw new Error('there are no folds');
    this.candidates = candidatesFor(this.#size(first.training.length));
    const rowWork = Math.max(...this.candidates.map(candidate => workOf(candidate, this.#size(1))));
    const rows = Math.max(MIN_TRIAL_ROWS, Math.floor(TRIAL_WORK / rowWork));
    this.#trialFold = {
      training: spread(first.training, rows),
      validation: spread(first.validation, rows),
    };
  }

  chooseEncodings(choices: readonly EncodingChoice[]): void {
    const [candidate] = this.candidates;
    if (candidate === undefined || choices.length === 0) return;
    let best = this.#validate(candidate, this.#trialFold);
    for (const { place, encodings } of choices) {
      for (const encoding of encodings.slice(1)) {
        if (this.#left < TOTAL_WORK / 2) return;
        const before = this.encodings[place];
        const used = this.encodings.filter(({ kind }) => kind !== 'left out').length;
        if (before === undefined || (encoding.kind === 'left out' && used === 1)) continue;
        this.encodings[place] = encoding;
        const tried = this.#validate(candidate, this.#trialFold);
        if (meritOf([tried]).loss < meritOf([best]).loss) best = tried;
        else this.encodings[place] = before;
      }
    }
  }

  trial(candidate: Candidate): Compared {
    const merit = meritOf([this.#validate(candidate, this.#trialFold)]);
    return { candidate, merit, rows: this.#trialFold.training.length };
  }

  /** Whether all candidates can be compared on all folds. */
  affordsAll(): boolean {
    const { folds } = this.#options;
    return folds.length * this.#workOfAll(this.candidates) <= this.#left;
  }

  /** On all rows and the same folds. */
  compare(candidates: readonly Candidate[]): Compared[] {
    const { folds } = this.#options;
    const rows = folds[0]?.training.length ?? 0;
    if (candidates.length > 1) {
      const affordable = Math.floor(this.#left / this.#workOfAll(candidates));
      this.#folds = Math.max(1, Math.min(folds.length, affordable));
    }
    return candidates
      .map(candidate => {
        const merit = meritOf(folds.slice(0, this.#folds).map(fold => this.#validate(candidate, fold)));
        return { candidate, merit, rows };
      })
      .sort(byLoss);
  }

  affords(candidate: Candidate): boolean {
    return this.#folds * this.#workOfAll([candidate]) <= this.#left;
  }

  /** Of all rows of a fold. */
  #workOfAll(candidates: readonly Candidate[]): number {
    const size = this.#size(this.#options.folds[0]?.training.length ?? 0);
    return candidates.reduce((sum, candidate) => sum + workOf(candidate, size), 0);
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

/** At most so many of the rows, evenly spread. */
function spread(rows: Int32Array, most: number): Int32Array {
  if (rows.length <= most) return rows;
  return Int32Array.from({ length: most }, (_, i) => rows[Math.floor((i * rows.length) / most)] as number);
}
