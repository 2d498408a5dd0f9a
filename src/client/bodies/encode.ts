import type { BatchMemory } from '../../base/kernel/batch-memory.ts';
import { wordView } from '../../formats/bytes/word-view.ts';
import type { Layout } from '../../formats/format.ts';
import { type Batch, countRows } from '../../formats/records/batch.ts';
import type { Fault } from '../../formats/records/faults.ts';
import type { FeatureColumn } from '../../scoring/feature-columns.ts';
import { RequestIds } from '../transport/http-request.ts';
import type { BatchBody } from './body-layout.ts';
import type { BodyWriter } from './body-writer.ts';
import { type RowError, withoutRows } from './check-types.ts';

/** A batch with its request body. */
export interface Encoded {
  readonly batch: Batch;
  /** Index of a malformed record → its fault; such records are not sent. */
  readonly faults: ReadonlyMap<number, Fault>;
  /** Index of a row among the others → why it is not sent either; in order. */
  readonly unsentRows: ReadonlyMap<number, RowError>;
  /** Number of personas in the body. */
  readonly personas: number;
  readonly body: Buffer;
  /** The text that the body has for a protocol that returns it. */
  readonly id: string;
}

export interface EncodeOptions {
  /** Writes the body of a batch. */
  batchBody: BatchBody;
  features: readonly Pick<FeatureColumn, 'index'>[];
  layout: Layout;
  /** In which a kernel finds the fields, if there is one; the body is prepared for the same. */
  memory?: BatchMemory | undefined;
  /** Writes the bodies; release them to it after use. */
  bodyWriter: BodyWriter;
  /** Those of a body with more than one persona. */
  limits: BatchLimits;
}

/** Encodes a batch to one request body, or to several if it is too large. */
export type Encode = (batch: Batch) => Generator<Encoded>;

/** A stage that encodes batches to request bodies. A batch whose body exceeds the limit is split in halves. */
export function encode({ batchBody, features, layout, memory, bodyWriter, limits }: EncodeOptions): Encode {
  const readFields = layout.fieldReader(memory);
  const sent = features.map(({ index }) => index);
  const ids = new RequestIds();
  return function* encodeBatch(batch): Generator<Encoded> {
    memory?.clear();
    const read = readFields(batch);
    const found = new Map<number, RowError>(read.rowsWithout?.(sent));
    batchBody.checkTypes?.(read, found);
    const unsentRows = new Map([...found].sort(([a], [b]) => a - b));
    const fields = withoutRows(read, unsentRows);
    const id = ids.next();
    bodyWriter.begin();
    if (fields.rows > 0) batchBody.write(fields, wordView(fields.bytes), bodyWriter, id);
    const rows = countRows(batch);
    if (rows > 1 && (bodyWriter.length > limits.body.bytes || rows > limits.maxRows)) {
      const middle = batch.ends.length >> 1;
      yield* encodeBatch(layout.slice(batch, 0, middle));
      yield* encodeBatch(layout.slice(batch, middle, batch.ends.length));
    } else {
      const body = fields.rows === 0 ? NO_BODY : bodyWriter.take();
      yield { batch, faults: fields.faults, unsentRows, personas: fields.rows, body, id };
    }
  };
}

/** For a batch without a row to send. */
const NO_BODY = Buffer.alloc(0);

/** The maximum batch size, learned from bodies that were too large, had too many rows, or took the model too long. */
export class BatchLimits {
  /** The size of a request body. */
  readonly body: LearnedLimit;
  /** The size as the reader estimates it: from whole records, although not all of their columns may be sent. */
  readonly records: LearnedLimit;
  /** The largest number of rows in a body. */
  maxRows = Number.POSITIVE_INFINITY;
  readonly #rowOverhead: number;

  /** @param rowOverhead estimated bytes of a persona in a body, without its values */
  constructor(max: number, rowOverhead: number) {
    this.body = new LearnedLimit(max);
    this.records = new LearnedLimit(max);
    this.#rowOverhead = rowOverhead;
  }

  /** The service has said that a body had too many rows. */
  rejectedRows(most: number): void {
    this.maxRows = Math.min(this.maxRows, Math.max(1, most));
  }

  /** The service accepted this body, or it was too large for it, or for its model's time limit. */
  sent(encoded: Encoded, outcome: 'accepted' | 'rejected'): void {
    const { bytes } = encoded.batch;
    this.body[outcome](encoded.body.length);
    this.records[outcome](bytes.length + countRows(encoded.batch) * this.#rowOverhead);
  }
}

/**
 * Half of the size that was rejected, but at least the largest size that was accepted: a single row that is too large
 * by itself must not shrink the batches of all others.
 */
export class LearnedLimit {
  bytes: number;
  readonly #max: number;
  #largest = 0;

  /** @param max initial limit in bytes */
  constructor(max: number) {
    this.#max = max;
    this.bytes = max;
  }

  rejected(bytes: number): void {
    if (bytes > this.#largest)
      this.bytes = Math.min(this.bytes, Math.max(this.#largest, Math.ceil(bytes / 2)));
  }

  accepted(bytes: number): void {
    this.#largest = Math.max(this.#largest, bytes);
    this.bytes = Math.max(this.bytes, Math.min(this.#max, this.#largest));
  }
}
