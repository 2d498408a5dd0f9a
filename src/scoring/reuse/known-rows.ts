import type { Predictions } from '../../base/contract/predictions.ts';
import { RowcastError } from '../../base/errors.ts';
import { Interrupted } from '../../base/interrupted.ts';
import { BatchMemory } from '../../base/kernel/batch-memory.ts';
import type { Appended } from '../../formats/appended.ts';
import type { Layout } from '../../formats/format.ts';
import { type Batch, RecordKind } from '../../formats/records/batch.ts';
import type { ByteSource } from '../../formats/records/byte-source.ts';
import type { Fault } from '../../formats/records/faults.ts';
import type { Fields } from '../../formats/records/fields.ts';
import { joinValues, noPredictions } from '../batch/join-predictions.ts';
import type { FeatureColumn } from '../feature-columns.ts';
import type { Flight, Sent, SentRows } from '../in-flight.ts';
import { appendedFor, type MergeOptions } from '../merge/appended-for.ts';
import type { PieceTallyOptions } from '../merge/piece-tally.ts';
import type { BatchScorer, ScoredBatch } from '../scorer.ts';
import { appendedTextOf, type CopiedColumns, CopiedRows, withCopies } from './copied-rows.ts';
import { EQUAL_RESULT_BYTES, EqualRows } from './equal-rows.ts';
import { PackedRows } from './packed-rows.ts';
import { Results } from './results.ts';
import { RowKeys, type RowsByKey } from './row-keys.ts';

/** Predictions that are known before their rows are sent. */
export interface KnownPredictions extends CopiedColumns {
  readonly keys: RowKeys;
  /** The share of known rows whose prediction is asked for again, to compare it; 0 to 1. */
  readonly checkedShare: number;
  /** Adds what is known of the next rows. */
  find(rows: RowsByKey, into: CopiedRows): Promise<void>;
}

interface KnownRowsOptions {
  /** Undefined if only equal rows are not sent. */
  known: KnownPredictions | undefined;
  /** Whether a row that is equal to one before it is not sent. */
  areEqualSentOnce: boolean;
  source: Pick<ByteSource, 'name' | 'isLive'>;
  features: readonly FeatureColumn[];
  batchRows: number | undefined;
  merging: MergeOptions & Pick<PieceTallyOptions, 'counting'>;
}

/** A batch of the input, with what is known of its rows. */
interface KnownBatch {
  readonly batch: Batch;
  readonly faults: ReadonlyMap<number, Fault>;
  readonly copied: CopiedRows;
  /** The number of the result of the first of its rows that is sent. */
  readonly first: number;
  /** The number of the first result that rows after it may get. */
  readonly keptFrom: number;
  /** The number of the packed batch with the last of its rows that is sent; -1 if none is. */
  lastPack: number;
}

/** Bytes of batches that wait until their rows that are not known fill a request. */
const MAX_WAITING_BYTES = 8 << 20;

/** Finds the rows of batches whose predictions are known, and puts predictions in their places. */
class KnownRows {
  readonly #known: KnownPredictions | undefined;
  readonly #equal: EqualRows | undefined;
  readonly #keys: RowKeys;
  readonly options: KnownRowsOptions;
  /** Finds fields where the scorer does, so that they are not found twice. */
  #fields: SharedFields | undefined;
  readonly #columns: readonly number[];
  /** The rows that are sent. */
  readonly packed: PackedRows;
  /** What was predicted for them. */
  readonly results: Results;
  readonly #appended: Appended | undefined;
  /** How many rows were found that are sent. */
  #sent = 0;

  constructor(options: KnownRowsOptions) {
    const { features, merging, known, areEqualSentOnce } = options;
    this.#known = known;
    this.#keys = known?.keys ?? new RowKeys();
    this.results = new Results(areEqualSentOnce ? EQUAL_RESULT_BYTES : 0, known?.predictionType);
    this.#equal = areEqualSentOnce ? new EqualRows(this.results) : undefined;
    this.options = options;
    this.#columns = features.map(({ index }) => index);
    this.packed = new PackedRows(merging.layout);
    this.#appended = known && appendedFor(merging, known.predictionType);
  }

  /** The layout by which a scorer finds fields, and cuts packed batches. */
  get layout(): Layout {
    const { layout } = this.options.merging;
    return {
      ...layout,
      slice: this.packed.slice,
      fieldReader: memory => {
        const fields = new SharedFields(layout, memory);
        this.#fields ??= fields;
        return fields.read;
      },
    };
  }

  async find(batch: Batch): Promise<KnownBatch> {
    const known = this.#known;
    this.#fields ??= new SharedFields(this.options.merging.layout, BatchMemory.create());
    const { fields, keys } = this.#fields.withKeys(batch, this.#keys, this.#columns);
    const { faults, rows } = fields;
    const copied = new CopiedRows(rows);
    const without = fields.rowsWithout?.(this.#columns) ?? new Map();
    const byKey = { keys, rows, firstRow: batch.start.row, without };
    if (known !== undefined) {
      await known.find(byKey, copied);
      if (known.checkedShare > 0)
        for (let row = 0; row < rows; row++)
          if (copied.has(row) && Math.random() < known.checkedShare) copied.check(row);
    }
    const first = this.#sent;
    this.#equal?.find(byKey, first, copied);
    this.#sent += copied.sent;
    const keptFrom = this.#equal?.keptFrom(this.#sent) ?? this.#sent;
    // Until all of its rows are packed, it must not be passed on.
    return { batch, faults, copied, first, keptFrom, lastPack: Number.POSITIVE_INFINITY };
  }

  /** Puts results and copies in the places of a batch's rows, when there is a result of each row that is sent. */
  join({ batch, faults, copied, first }: KnownBatch): ScoredBatch {
    const known = this.#known;
    const { predictionType } = this.results;
    const countsScores = this.options.merging.counting?.isDetailed === true;
    const errors = new Map<number, { code: string; message: string }>();
    const joined = predictionType === undefined ? noPredictions : joinValues(predictionType, [], copied.rows);
    let next = first;
    for (let row = 0; row < copied.rows; row++) {
      const result = copied.isSent(row) ? next++ : copied.resultOf(row);
      if (result !== -1) this.results.copyTo(result, joined, row, errors);
      else if (countsScores && joined.kind === 'distribution') {
        const values = known?.probabilitiesOf?.(copied.bytesOf(row)) ?? [];
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
    if (known === undefined || appended === undefined) return;
    const isRejected = predictions.errors.has(row);
    const now = isRejected ? undefined : appendedTextOf(appended, predictions, row);
    if (now !== undefined && known.isSame(copied.bytesOf(row), now.subarray(known.separator.length))) return;
    throw new RowcastError(
      'reused_differs',
      `the service ${isRejected ? 'rejects a row whose' : 'now gives another prediction for a row whose'} earlier prediction is reused`,
      {
        severity: 'stopped',
        needsRestart: true,
        location: { file: this.options.source.name, row: batch.start.row + row },
        hint: 'The model has changed although its version has not. Leave out --reuse, and add --restart, to send all rows.',
      },
    );
  }
}

/** Rows, and those that need not be sent. */
export interface UnsentRows {
  rows: number;
  reused: number;
  equal: number;
}

/** Counts the rows of the first batches of an input that need not be sent, without sending any. */
export async function countUnsent(options: KnownRowsOptions, batches: Iterable<Batch>): Promise<UnsentRows> {
  const rows = new KnownRows(options);
  const sum: UnsentRows = { rows: 0, reused: 0, equal: 0 };
  for (const batch of batches) {
    const { copied } = await rows.find(batch);
    sum.rows += copied.rows;
    sum.reused += copied.known;
    sum.equal += copied.equal;
  }
  return sum;
}

/**
 * Only rows whose predictions are not known are sent.
 *
 * @throws RowcastError as `appendedFor`
 */
export function unknownRows(options: KnownRowsOptions): SentRows {
  const { known } = options;
  const rows = new KnownRows(options);
  return {
    layout: rows.layout,
    withCopies: known && ((appended, copied) => withCopies(appended, known, copied)),
    sender: (scorer, flight) => new UnknownRows(rows, scorer, flight),
  };
}

/** What was sent, in input order: a part, all parts of a batch, or what a batch of the input has needed. */
type Step =
  | { readonly part: Awaited<ReturnType<Flight['send']>>; readonly isWhole: boolean }
  | { readonly results: number; readonly keptFrom: number }
  | KnownBatch;

/**
 * Sends the rows of batches that are not known, those of many batches packed into full requests. Batches come out in
 * input order, as if all had been sent.
 *
 *     batches → find what is known, pack the others → in flight → put results and copies in their places
 */
class UnknownRows {
  readonly #rows: KnownRows;
  readonly #scorer: BatchScorer;
  readonly #flight: Flight;
  /** The batches of the input whose rows are not all packed, or sent. */
  readonly #waiting: KnownBatch[] = [];
  #waitingBytes = 0;
  /** The number of packed batches, and of rows, that were sent. */
  #packs = 0;
  #sent = 0;
  #isInterrupted = false;

  constructor(rows: KnownRows, scorer: BatchScorer, flight: Flight) {
    this.#rows = rows;
    this.#scorer = scorer;
    this.#flight = flight;
  }

  async *send(batch: Batch): AsyncGenerator<Sent> {
    const scorer = this.#scorer;
    const { packed, options } = this.#rows;
    const { batchRows = scorer.batchRows, source } = options;
    if (this.#isInterrupted) return;
    const found = await this.#rows.find(batch).catch(unlessInterrupted);
    if (found === undefined) {
      // The run goes on as if reading had stopped before this batch: it waits for what was sent.
      this.#isInterrupted = true;
      return;
    }
    if (found.copied.known + found.copied.equal === 0 && packed.waiting === 0) {
      this.#sent += found.copied.rows;
      yield* this.#sendParts(batch, true, found.keptFrom);
      return;
    }
    const limits = { rows: batchRows, bytes: scorer.maxBatchBytes(), rowOverhead: scorer.rowOverhead };
    this.#waiting.push(found);
    this.#waitingBytes += batch.bytes.length;
    let lastPack = -1;
    for (const index of sentRecords(found)) {
      if (packed.isFullFor(batch, index, limits)) yield* this.#sendPacked();
      packed.add(batch, index);
      lastPack = this.#packs;
    }
    found.lastPack = lastPack;
    // The rows of a pipe wait for no others, which may come late.
    if (source.isLive || this.#waitingBytes > MAX_WAITING_BYTES || packed.waiting >= batchRows)
      yield* this.#sendPacked();
    yield* this.#passOn();
  }

  async *end(): AsyncGenerator<Sent> {
    yield* this.#sendPacked();
    yield* this.#passOn();
  }

  async *#sendPacked(): AsyncGenerator<Sent> {
    const { packed } = this.#rows;
    if (packed.waiting === 0) return;
    this.#packs++;
    this.#sent += packed.waiting;
    yield* this.#sendParts(packed.take(), false, 0);
    yield* this.#passOn();
  }

  /** @param isWhole whether it is a batch of the input as it is, and not a packed one */
  async *#sendParts(batch: Batch, isWhole: boolean, keptFrom: number): AsyncGenerator<Sent> {
    for (const part of this.#scorer.parts(batch))
      yield this.#settling({ part: await this.#flight.send(part), isWhole });
    yield this.#settling({ results: this.#sent, keptFrom });
  }

  /** Passes on the batches of the input all of whose rows were sent. */
  async *#passOn(): AsyncGenerator<Sent> {
    const waiting = this.#waiting;
    for (let next = waiting[0]; next !== undefined && next.lastPack < this.#packs; next = waiting[0]) {
      waiting.shift();
      this.#waitingBytes -= next.batch.bytes.length;
      await this.#flight.reserve(memoryOf(next));
      yield this.#settling(next);
    }
  }

  #settling(step: Step): Sent {
    return { settled: () => this.#settle(step) };
  }

  async *#settle(step: Step): AsyncGenerator<ScoredBatch> {
    const { results } = this.#rows;
    if ('part' in step) {
      const scored = await step.part.settled();
      if (step.isWhole) yield scored;
      results.add(scored);
      return;
    }
    if ('copied' in step) {
      this.#flight.free(memoryOf(step));
      yield this.#rows.join(step);
    } else if (results.count !== step.results)
      throw new TypeError('a row that was sent has no result, or two');
    results.dropBefore(step.keptFrom);
  }
}

const memoryOf = ({ batch, copied }: KnownBatch): number => batch.bytes.length + copied.memory;

function unlessInterrupted(error: unknown): undefined {
  if (!(error instanceof Interrupted)) throw error;
}

/** The records of a batch that are sent. */
function* sentRecords({ batch, faults, copied }: KnownBatch): Generator<number> {
  let row = 0;
  for (let index = 0; index < batch.kinds.length; index++) {
    if (batch.kinds[index] === RecordKind.blank || faults.has(index)) continue;
    if (copied.isSent(row++)) yield index;
  }
}

/** Finds the fields of batches, and those of the last one only once. */
class SharedFields {
  readonly #memory: BatchMemory | undefined;
  readonly #read: (batch: Batch) => Fields;
  /** A copy of the keys of a batch: the memory is used for other batches while rows are looked for. */
  #keys = new Int32Array();
  /** The last batch whose fields were found, and the addresses of what they take. */
  #last: { batch: Batch; fields: Fields; start: number; bytes: number } | undefined;

  constructor(layout: Pick<Layout, 'fieldReader'>, memory: BatchMemory | undefined) {
    this.#memory = memory;
    this.#read = layout.fieldReader(memory);
  }

  /** Finds the fields of a batch, in memory that is cleared. */
  readonly read = (batch: Batch): Fields => {
    const last = this.#last;
    this.#last = undefined;
    const memory = this.#memory;
    if (last === undefined || last.batch !== batch || memory?.reserve(0) !== last.start)
      return this.#read(batch);
    memory.reserve(last.bytes);
    return last.fields;
  };

  /** Finds the fields of a batch, valid until others are found, and its keys, valid until those of another are. */
  withKeys(batch: Batch, keys: RowKeys, columns: readonly number[]): { fields: Fields; keys: Int32Array } {
    const memory = this.#memory;
    memory?.clear();
    const start = memory?.reserve(0) ?? 0; // the address of what is reserved next
    const reserved = memory && keys.reserve(memory, batch, columns);
    const fields = this.#read(batch);
    const found = keys.keysOf(fields, columns, reserved);
    const bytes = (memory?.reserve(0) ?? 0) - start;
    this.#last = { batch, fields, start, bytes };
    if (found.length > this.#keys.length) this.#keys = new Int32Array(2 * found.length);
    this.#keys.set(found);
    return { fields, keys: this.#keys };
  }
}
