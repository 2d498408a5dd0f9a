import { wordView } from '../../formats/bytes/word-view.ts';
import type { Layout } from '../../formats/format.ts';
import { type Batch, countRows } from '../../formats/records/batch.ts';
import type { Fault } from '../../formats/records/faults.ts';
import type { BatchBody } from './body-layout.ts';
import type { BodyWriter } from './body-writer.ts';

/** A batch with its request body. */
export interface Encoded {
  readonly batch: Batch;
  /** Index of a malformed record → its fault; such records are not sent. */
  readonly faults: ReadonlyMap<number, Fault>;
  /** Number of personas in the body. */
  readonly personas: number;
  readonly body: Buffer;
}

export interface EncodeOptions {
  /** Writes the body of a batch. */
  batchBody: BatchBody;
  layout: Layout;
  /** Writes the bodies; release them to it after use. */
  bodyWriter: BodyWriter;
  /** Maximum size of a body with more than one persona; called for each batch, since it may change. */
  batchBytes: () => number;
}

/** Encodes a batch to one request body, or to several if it is too large. */
export type Encode = (batch: Batch) => Generator<Encoded>;

/** A stage that encodes batches to request bodies. A batch whose body exceeds the limit is split in halves. */
export function encode({ batchBody, layout, bodyWriter, batchBytes }: EncodeOptions): Encode {
  const readFields = layout.fieldReader();
  return function* encodeBatch(batch): Generator<Encoded> {
    const fields = readFields(batch);
    bodyWriter.begin();
    batchBody.write(fields, wordView(fields.bytes), bodyWriter);
    if (bodyWriter.length > batchBytes() && countRows(batch) > 1) {
      const middle = batch.ends.length >> 1;
      yield* encodeBatch(layout.slice(batch, 0, middle));
      yield* encodeBatch(layout.slice(batch, middle, batch.ends.length));
    } else {
      const body = fields.rows === 0 ? NO_BODY : bodyWriter.take();
      yield { batch, faults: fields.faults, personas: fields.rows, body };
    }
  };
}

/** For a batch with only blank lines and malformed records, which is not sent. */
const NO_BODY = Buffer.alloc(0);
