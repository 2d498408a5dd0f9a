import { MAX_OWN_LEVELS } from '../../../models/model/model-format.ts';
import { scoreCount } from '../../../models/model/scores.ts';
import type { Designer, EncodableColumn, Encoding, Labelled } from '../features/design.ts';
import type { Loss } from '../loss.ts';
import { type Candidate, candidatesFor, type Size, slower, trainingWork } from './candidates.ts';
import { type Fold, metricsOf, type Validated, type ValidationMetrics, validate } from './validate.ts';

interface ComparedCandidate {
  candidate: Candidate;
  metrics: ValidationMetrics;
  /** The number of rows it was trained on. */
  rows: number;
}

/** A column, and the encodings to try; the first is the default. */
interface EncodingChoice {
  index: number;
  encodings: readonly Encoding[];
}

interface SearchOptions {
  designer: Designer;
  labelled: Labelled;
  /** What trees may minimize, the default first, which linear models minimize. */
  losses: readonly [Loss, ...Loss[]];
  /** The default encoding of each column. */
  encodings: readonly Encoding[];
  /** Without testing rows. */
  folds: readonly Fold[];
  seed: number;
  /** The budget, by default `TOTAL_WORK`. */
  totalWork?: number;
}

/**
 * The budget of the search, in additions (see `trainingWork`) rather than seconds, so that the same data and seed give
 * the same model on any machine: about five seconds on a core of 2020, and a tenth of it per trial. A training that has
 * started is completed, and every candidate is trained at least once.
 */
const TOTAL_WORK = 1.2e9;
const TRIAL_SHARE = 0.1;
const MIN_TRIAL_ROWS = 1000;
/** The folds used to decide which candidates are worth training on the others. */
const FIRST_FOLDS = 3;
const FINALISTS = 2;

/** The results so far, and the remaining budget. */
class Search {
  readonly #options: SearchOptions;
  readonly #trialFold: Fold;
  candidates: readonly Candidate[];
  /** Results by a fold's training rows, then by candidate and encodings. */
  readonly #known = new Map<Int32Array, Map<string, Validated>>();
  encodings: Encoding[];
  /** The first candidate with other losses than the chosen one. */
  readonly others: ComparedCandidate[] = [];
  readonly #totalWork: number;
  #left: number;

  constructor(options: SearchOptions) {
    this.#options = options;
    this.#totalWork = options.totalWork ?? TOTAL_WORK;
    this.#left = this.#totalWork;
    this.encodings = [...options.encodings];
    const [first] = options.folds;
    if (first === undefined) throw new Error('there are no folds');
    this.candidates = candidatesFor(this.#size(first.training.length), options.losses[0]);
    const rowWork = Math.max(...this.candidates.map(candidate => trainingWork(candidate, this.#size(1))));
    const rows = Math.max(MIN_TRIAL_ROWS, Math.floor((TRIAL_SHARE * this.#totalWork) / rowWork));
    this.#trialFold = {
      training: spread(first.training, rows),
      validation: spread(first.validation, rows),
    };
  }

  /** Selects the loss with which the first candidate does best. */
  chooseLoss(): void {
    const { losses, folds } = this.#options;
    if (losses.length === 1) return;
    const size = this.#size(folds[0]?.training.length ?? 0);
    const compared = losses.map(loss => {
      const candidates = candidatesFor(size, loss, losses[0]);
      const [candidate] = candidates as [Candidate, ...Candidate[]]; // there is always one
      const metrics = metricsOf([this.#validate(candidate, this.#trialFold)]);
      return { candidates, compared: { candidate, metrics, rows: this.#trialFold.training.length } };
    });
    const [best, ...others] = compared.sort((a, b) => a.compared.metrics.loss - b.compared.metrics.loss);
    this.candidates = best?.candidates ?? this.candidates;
    this.others.push(...others.map(other => other.compared));
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
    const work = candidates.reduce((sum, candidate) => sum + trainingWork(candidate, size), 0);
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
    this.#left -= trainingWork(candidate, scale, validated.measures.length);
    known.set(key, validated);
    return validated;
  }
}

/** At most `most` of the rows, evenly spread. */
function spread(rows: Int32Array, most: number): Int32Array {
  if (rows.length <= most) return rows;
  return Int32Array.from({ length: most }, (_, i) => rows[Math.floor((i * rows.length) / most)] as number);
}

/** The configuration that did best on validation. */
export interface Selection {
  candidate: Candidate;
  encodings: readonly Encoding[];
  metrics: ValidationMetrics;
  compared: ComparedCandidate[];
}

interface SelectOptions extends SearchOptions {
  choices: readonly EncodingChoice[];
}

/**
 * Selects by validation: first the loss and the encodings, column by column, with one candidate; then among all candidates; then the
 * best candidate with half its learning rate.
 */
export function select(options: SelectOptions): Selection {
  const search = new Search(options);
  search.chooseLoss();
  search.chooseEncodings(options.choices);
  const { finalists, others } = search.race(search.candidates);
  const [first, ...rest] = finalists;
  if (first === undefined) throw new Error('there are no candidates');
  const finer = slower(first.candidate);
  const final =
    finer !== undefined && search.affords([finer], 1)
      ? search.race([first.candidate, finer]).finalists
      : [first];
  const [best = first] = final;
  return {
    candidate: best.candidate,
    encodings: search.encodings,
    metrics: best.metrics,
    compared: [...search.others, ...others, ...rest, ...final],
  };
}

/** A level with fewer rows would be overfitted. */
const MIN_LEVEL_ROWS = 5;
/** An alternative threshold: levels below this share of the rows may be merged. */
const FREQUENT_SHARE = 0.01;
/** Other encodings are tried for columns with more levels, or with more rows in merged levels. */
const MANY_LEVELS = 20;
const MANY_MERGED = 0.02;
/** With more scores target encoding is not tried, because it adds a feature for each. */
const MAX_TARGET_SCORES = 10;

/** The default encoding of a column: levels with fewer than 5 rows are merged. */
export function defaultEncoding({ column, counts }: EncodableColumn): Encoding {
  return column.type === 'categorical'
    ? { kind: 'merged', count: countOver(counts, MIN_LEVEL_ROWS) }
    : { kind: 'own' };
}

/** The columns with many or rare levels, and the encodings to try. */
export function encodingChoices(columns: readonly EncodableColumn[], classes: number): EncodingChoice[] {
  return columns.flatMap((values, index) => {
    const { column, counts } = values;
    if (column.type !== 'categorical') return [];
    const rows = counts.reduce((sum, count) => sum + count, 0);
    const frequentEnough = countOver(counts, MIN_LEVEL_ROWS);
    const merged = counts.slice(frequentEnough).reduce((sum, count) => sum + count, 0);
    if (frequentEnough <= MANY_LEVELS && merged <= MANY_MERGED * rows) return [];
    const frequent = countOver(counts, FREQUENT_SHARE * rows);
    const encodings: Encoding[] = [defaultEncoding(values)];
    if (frequent > 0 && frequent < frequentEnough) encodings.push({ kind: 'merged', count: frequent });
    if (scoreCount(classes) <= MAX_TARGET_SCORES)
      encodings.push({ kind: 'target', count: countOver(counts, 2, Infinity) });
    encodings.push({ kind: 'left out' });
    return [{ index, encodings }];
  });
}

/** The number of levels with at least this many rows; `counts` is in descending order. */
function countOver(counts: readonly number[], rows: number, most = MAX_OWN_LEVELS): number {
  const below = counts.findIndex(count => count < rows);
  return Math.min(most, below === -1 ? counts.length : below);
}
