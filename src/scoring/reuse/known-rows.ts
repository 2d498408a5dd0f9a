import {
  classesOf,
  numbersPerRow,
  type Predictions,
  type PredictionType,
} from '../../base/contract/predictions.ts';
import { RowcastError } from '../../base/errors.ts';
import { BatchMemory } from '../../base/kernel/batch-memory.ts';
import type { Appended } from '../../formats/appended.ts';
import type { Layout } from '../../formats/format.ts';
import { type Batch, RecordKind } from '../../formats/records/batch.ts';
import type { ByteSource } from '../../formats/records/byte-source.ts';
import type { Fault } from '../../formats/records/faults.ts';
import type { Fields } from '../../formats/records/fields.ts';
import { checkSameType, countPersonas, joinValues } from '../batch/join-predictions.ts';
import type { FeatureColumn } from '../feature-columns.ts';
import type { inFlight, Sent } from '../in-flight.ts';
import { appendedFor, type MergeOptions } from '../merge/appended-for.ts';
import type { PartTallyOptions } from '../merge/part-tally.ts';
import { predictionTypeOf } from '../predictions.ts';
import type { BatchScorer, ScoredBatch } from '../scorer.ts';
import { appendedTextOf, type CopiedColumns, CopiedRows, withCopies } from './copied-rows.ts';
import { PackedRows } from './packed-rows.ts';
import type { RowKeys } from './row-keys.ts';

/** The well-formed rows of a batch by their keys. */
export interface RowsByKey {
  /** `KEY_WORDS` for each row. */
  readonly keys: Int32Array;
  readonly rows: number;
  /** The number of the first one in the input. */
  readonly firstRow: number;
  /** Rows that have nothing to be found by. */
  readonly without: ReadonlyMap<number, unknown>;
}

/** Predictions that are known before their rows are sent. */
export interface KnownPredictions extends CopiedColumns {
  readonly keys: RowKeys;
  /** The share of known rows whose prediction is asked for again, to compare it; 0 to 1. */
  readonly checkedShare: number;
  /** Adds what is known of the next rows. */
  find(rows: RowsByKey, into: CopiedRows): Promise<void>;
}

interface KnownRowsOptions {
  source: Pick<ByteSource, 'name' | 'isLive'>;
  features: readonly FeatureColumn[];
  batchRows: number | undefined;
  merging: MergeOptions & Pick<PartTallyOptions, 'counting'>;
}

/** A batch of the input, with what is known of its rows. */
interface KnownBatch {
  readonly batch: Batch;
  readonly faults: ReadonlyMap<number, Fault>;
  readonly copied: CopiedRows;
  /** The number of the packed batch with the last of its rows that is sent; -1 if none is. */
  lastPack: number;
}

/** What the stages pass on, in input order: rows to send, and batches for whose rows all requests were made. */
type Step = { readonly packed: Batch } | { readonly whole: Batch } | KnownBatch;

/** Bytes of batches that wait until their rows that are not known fill a request. */
const MAX_WAITING_BYTES = 8 << 20;

type Flight = ReturnType<typeof inFlight>;

/**
 * The stages between the records and merging, if the predictions of some rows are known: only the others are sent, and
 * those of many batches are packed into full requests. Batches come out in input order, as if all had been sent.
 *
 *     batches → find what is known, pack the others → in flight → put results and copies in their places
 */
class KnownRows {
  readonly #known: KnownPredictions;
  readonly #options: KnownRowsOptions;
  readonly #memory = BatchMemory.create();
  readonly #readFields: (batch: Batch) => Fields;
  readonly #columns: readonly number[];
  readonly #packed: PackedRows;
  readonly #results = new Results();
  readonly #appended: Appended | undefined;

  constructor(known: KnownPredictions, options: KnownRowsOptions) {
    const { features, merging } = options;
    this.#known = known;
    this.#options = options;
    this.#columns = features.map(({ index }) => index);
    this.#packed = new PackedRows(merging.layout);
    this.#appended = appendedFor(merging, known.predictionType);
    this.#readFields = merging.layout.fieldReader(this.#memory);
  }

  /** Which parts of packed batches are cut by. */
  get slice(): Layout['slice'] {
    return this.#packed.slice;
  }

  /** @param seen is told of each batch of the input */
  async *steps(
    batches: AsyncIterable<Batch>,
    scorer: Pick<BatchScorer, 'maxBatchBytes' | 'rowOverhead' | 'batchRows'>,
    seen: (batch: Batch) => void,
  ): AsyncGenerator<Step> {
    const { batchRows = scorer.batchRows, source } = this.#options;
    const packed = this.#packed;
    const waiting: KnownBatch[] = [];
    let [bytes, packs] = [0, 0];
    const takeDone = function* (): Generator<Step> {
      for (let next = waiting[0]; next !== undefined && next.lastPack < packs; next = waiting[0]) {
        waiting.shift();
        bytes -= next.batch.bytes.length;
        yield next;
      }
    };
    const pack = function* (): Generator<Step> {
      if (packed.waiting === 0) return;
      packs++;
      yield { packed: packed.take() };
      yield* takeDone();
    };
    for await (const batch of batches) {
      seen(batch);
      const found = await this.#find(batch);
      if (found.copied.known === 0 && packed.waiting === 0) {
        yield { whole: batch };
        continue;
      }
      const limits = {
        rows: batchRows,
        bytes: scorer.maxBatchBytes(),
        rowOverhead: scorer.rowOverhead,
      };
      waiting.push(found);
      bytes += batch.bytes.length;
      let lastPack = -1;
      for (const index of sentRecords(found)) {
        if (packed.isFullFor(batch, index, limits)) yield* pack();
        packed.add(batch, index);
        lastPack = packs;
      }
      found.lastPack = lastPack;
      // The rows of a pipe wait for no others, which may come late.
      if (source.isLive || bytes > MAX_WAITING_BYTES || packed.waiting >= batchRows) yield* pack();
      yield* takeDone();
    }
    yield* pack();
    yield* takeDone();
  }

  async #find(batch: Batch): Promise<KnownBatch> {
    const known = this.#known;
    const memory = this.#memory;
    memory?.clear();
    const reserved = memory && known.keys.reserve(memory, batch, this.#columns);
    const fields = this.#readFields(batch);
    const copied = new CopiedRows(fields.rows);
    const without = fields.rowsWithout?.(this.#columns) ?? new Map();
    const { faults, rows } = fields;
    const keys = known.keys.keysOf(fields, this.#columns, reserved);
    await known.find({ keys, rows, firstRow: batch.start.row, without }, copied);
    if (known.checkedShare > 0)
      for (let row = 0; row < rows; row++)
        if (copied.has(row) && Math.random() < known.checkedShare) copied.check(row);
    // Until all of its rows are packed, it must not pass.
    return { batch, faults, copied, lastPack: Number.POSITIVE_INFINITY };
  }

  send(scorer: Pick<BatchScorer, 'parts'>, flight: Flight): (step: Step) => AsyncGenerator<Flying> {
    return step => this.#send(step, scorer, flight);
  }

  settle(
    flight: Flight,
    confirm: (scored: ScoredBatch) => Promise<ScoredBatch>,
  ): (flying: Flying) => AsyncGenerator<ScoredBatch> {
    return flying => this.#settle(flying, flight, confirm);
  }

  /** Sends what is to be sent. */
  async *#send(step: Step, scorer: Pick<BatchScorer, 'parts'>, flight: Flight): AsyncGenerator<Flying> {
    if ('copied' in step) {
      await flight.reserve(step.batch.bytes.length + step.copied.memory);
      yield step;
      return;
    }
    const isWhole = 'whole' in step;
    for (const part of scorer.parts(isWhole ? step.whole : step.packed))
      yield { sent: await flight.send(part), isWhole };
  }

  /** Waits for what was sent. @param confirm is called before a result is used */
  async *#settle(
    flying: Flying,
    flight: Flight,
    confirm: (scored: ScoredBatch) => Promise<ScoredBatch>,
  ): AsyncGenerator<ScoredBatch> {
    if ('copied' in flying) {
      flight.free(flying.batch.bytes.length + flying.copied.memory);
      yield this.#join(flying);
      return;
    }
    const scored = await confirm(await flight.settle(flying.sent));
    if (flying.isWhole) yield scored;
    else this.#results.add(scored);
  }

  #join({ batch, faults, copied }: KnownBatch): ScoredBatch {
    const known = this.#known;
    const { predictionType } = known;
    const countsScores = this.#options.merging.counting?.isDetailed === true;
    const errors = new Map<number, { code: string; message: string }>();
    const joined = joinValues(predictionType, [], copied.rows);
    for (let row = 0; row < copied.rows; row++) {
      if (copied.isSent(row)) this.#results.takeInto(joined, row, predictionType, errors);
      else if (countsScores && joined.kind === 'distribution') {
        const values = known.probabilitiesOf?.(copied.bytesOf(row)) ?? [];
        joined.probabilities.set(values, row * joined.classes.length);
      }
    }
    const predictions = { ...joined, errors };
    for (const row of copied.checked) this.#compare(predictions, row, copied, batch);
    return { batch, faults, predictions, copied };
  }

  /** @throws RowcastError `reused_differs` */
  #compare(predictions: Predictions, row: number, copied: CopiedRows, batch: Batch): void {
    const [known, appended] = [this.#known, this.#appended];
    if (appended === undefined) return;
    const isRejected = predictions.errors.has(row);
    const now = isRejected ? undefined : appendedTextOf(appended, predictions, row);
    if (now !== undefined && known.isSame(copied.bytesOf(row), now.subarray(known.separator.length))) return;
    throw new RowcastError(
      'reused_differs',
      `the service ${isRejected ? 'rejects a row whose' : 'now gives another prediction for a row whose'} earlier prediction is reused`,
      {
        severity: 'stopped',
        needsRestart: true,
        location: { file: this.#options.source.name, row: batch.start.row + row },
        hint: 'The model has changed although its version has not. Leave out --reuse, and add --restart, to send all rows.',
      },
    );
  }
}

/** @throws RowcastError as `appendedFor` */
export function knownStages(known: KnownPredictions, options: KnownRowsOptions) {
  const rows = new KnownRows(known, options);
  return {
    rows,
    layout: { ...options.merging.layout, slice: rows.slice } satisfies Layout,
    withCopies: (appended: Appended, copied: () => CopiedRows | undefined): Appended =>
      withCopies(appended, known, copied),
  };
}

/** What is in flight, or waits for that. */
type Flying = { readonly sent: Sent; readonly isWhole: boolean } | KnownBatch;

/** The records of a batch that are sent. */
function* sentRecords({ batch, faults, copied }: KnownBatch): Generator<number> {
  let row = 0;
  for (let index = 0; index < batch.kinds.length; index++) {
    if (batch.kinds[index] === RecordKind.blank || faults.has(index)) continue;
    if (copied.isSent(row++)) yield index;
  }
}

/** The results of packed batches, from which those of rows are taken in order. */
class Results {
  readonly #scored: ScoredBatch[] = [];
  #row = 0;

  add(scored: ScoredBatch): void {
    if (countPersonas(scored.batch, scored) !== scored.batch.ends.length)
      throw new TypeError('a row that was packed is malformed');
    this.#scored.push(scored);
  }

  /** Takes the next row. */
  takeInto(
    joined: Predictions,
    row: number,
    predictionType: PredictionType,
    errors: Map<number, { code: string; message: string }>,
  ): void {
    const [first] = this.#scored;
    if (first === undefined) throw new TypeError('there is no result for a row');
    const { predictions } = first;
    const own = this.#row++;
    if (own === 0) {
      const received = predictionTypeOf(predictions);
      if (received !== undefined) checkSameType(received, predictionType);
    }
    const error = predictions.errors.get(own);
    if (error !== undefined) errors.set(row, error);
    else copyValue(predictions, own, joined, row, classesOf(predictionType).length);
    if (this.#row === first.batch.ends.length) {
      this.#scored.shift();
      this.#row = 0;
    }
  }
}

function copyValue(from: Predictions, own: number, to: Predictions, row: number, classes: number): void {
  if (from.kind === 'distribution' && to.kind === 'distribution')
    for (let i = 0; i < classes; i++)
      to.probabilities[row * classes + i] = from.probabilities[own * classes + i] as number;
  else if (from.kind === 'numbers' && to.kind === 'numbers') {
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
