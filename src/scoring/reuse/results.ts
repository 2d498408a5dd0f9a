import { numbersPerRow, type Predictions, type PredictionType } from '../../base/contract/predictions.ts';
import { checkSameType, countPersonas } from '../batch/join-predictions.ts';
import { memoryOfScored } from '../in-flight.ts';
import { predictionTypeOf, type ReceivedPredictions } from '../predictions.ts';
import type { ScoredBatch } from '../scorer.ts';

/** The results of a batch of rows that were sent. */
interface ResultsOfBatch {
  readonly predictions: ReceivedPredictions;
  /** The numbers of its first row, and of the first one after it. */
  readonly first: number;
  readonly end: number;
  readonly memory: number;
}

/** The objects of a batch, in bytes. */
const BATCH_BYTES = 512;

/** The results of the rows that were sent, numbered in their order, from which those of single rows are taken. */
export class Results {
  readonly #maxBytes: number;
  readonly #batches: ResultsOfBatch[] = [];
  /** How many of the first batches are over the limit: they are kept only for rows that were found before. */
  #old = 0;
  #memory = 0;
  /** The number of the next result. */
  count = 0;
  /** What each prediction consists of, once known. */
  predictionType: PredictionType | undefined;

  /** @param maxBytes of what is kept for rows to come */
  constructor(maxBytes: number, predictionType: PredictionType | undefined) {
    this.#maxBytes = maxBytes;
    this.predictionType = predictionType;
  }

  /** The number of the first result that is kept for rows to come. */
  get keptFrom(): number {
    return this.#batches[this.#old]?.first ?? this.count;
  }

  /** @throws RowcastError `wrong_answer` if the predictions are of another type than those before */
  add(scored: ScoredBatch): void {
    const received = predictionTypeOf(scored.predictions);
    if (received !== undefined) {
      checkSameType(received, this.predictionType);
      this.predictionType ??= received;
    }
    const first = this.count;
    this.count += countPersonas(scored.batch, scored);
    const memory = BATCH_BYTES + memoryOfScored(scored);
    const { origins: _, ...predictions } = scored.predictions;
    this.#batches.push({ predictions, first, end: this.count, memory });
    this.#memory += memory;
    for (; this.#memory > this.#maxBytes; this.#old++) this.#memory -= this.#batches[this.#old]?.memory ?? 0;
  }

  /** Forgets the results before a number, which no row will take. */
  dropBefore(number: number): void {
    for (let first = this.#batches[0]; first !== undefined && first.end <= number; first = this.#batches[0]) {
      this.#batches.shift();
      if (this.#old > 0) this.#old--;
      else this.#memory -= first.memory;
    }
  }

  /** Puts the result with a number in the place of a row. */
  copyTo(
    number: number,
    joined: Predictions,
    row: number,
    errors: Map<number, { code: string; message: string }>,
  ): void {
    const { predictions, first } = this.#batchOf(number);
    const own = number - first;
    const error = predictions.errors.get(own);
    if (error !== undefined) errors.set(row, error);
    else copyValue(predictions, own, joined, row);
  }

  #batchOf(number: number): ResultsOfBatch {
    const batches = this.#batches;
    let [low, high] = [0, batches.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((batches[middle] as ResultsOfBatch).first <= number) low = middle;
      else high = middle - 1;
    }
    const found = batches[low];
    if (found === undefined || number < found.first || number >= found.end)
      throw new TypeError('there is no result for a row');
    return found;
  }
}

function copyValue(from: Predictions, own: number, to: Predictions, row: number): void {
  if (from.kind === 'distribution' && to.kind === 'distribution') {
    const classes = to.classes.length;
    for (let i = 0; i < classes; i++)
      to.probabilities[row * classes + i] = from.probabilities[own * classes + i] as number;
  } else if (from.kind === 'numbers' && to.kind === 'numbers') {
    const width = numbersPerRow(to.names);
    for (let i = 0; i < width; i++) to.values[row * width + i] = from.values[own * width + i] as number;
  } else if (from.kind === 'label' && to.kind === 'label') {
    // Its list of labels is a new one, of this batch.
    const labels = to.labels as string[];
    const label = from.labels[from.indices[own] ?? -1] ?? '';
    const known = labels.indexOf(label);
    to.indices[row] = known === -1 ? labels.push(label) - 1 : known;
  }
}
