import type { Wire } from '../../base/contract/wire-names.ts';
import { type WordView, wordView } from '../../formats/bytes/word-view.ts';
import type { Layout } from '../../formats/format.ts';
import { isText } from '../../formats/json/encode-value.ts';
import { type Batch, countRows } from '../../formats/records/batch.ts';
import type { Fault } from '../../formats/records/faults.ts';
import type { Fields } from '../../formats/records/fields.ts';
import type { FeatureColumn } from '../../scoring/feature-columns.ts';
import type { BodyWriter } from './body-writer.ts';

/** A batch whose fields were parsed: all that merging needs besides the predictions. */
export interface Parsed {
  readonly batch: Batch;
  /** Index of a malformed record → its fault; such records are not sent. */
  readonly faults: ReadonlyMap<number, Fault>;
}

/** A batch with its request body. */
export interface Encoded extends Parsed {
  /** Number of personas in the body. */
  readonly personas: number;
  readonly body: Buffer;
}

export interface EncodeOptions {
  /** Report id. */
  report: string;
  /** The columns to send. */
  features: readonly FeatureColumn[];
  layout: Layout;
  /** Values treated as missing, in addition to the empty one. */
  nulls: readonly string[];
  wire: Wire;
  /** Writes the bodies; release them to it after use. */
  bodyWriter: BodyWriter;
  /** Maximum size of a body with more than one persona; called for each batch, since it may change. */
  batchBytes: () => number;
}

/** Encodes a batch to one request body, or to several if it is too large. */
export type Encode = (batch: Batch) => Generator<Encoded>;

/**
 * A stage that encodes batches to request bodies. A batch whose body exceeds the limit is split in halves.
 *
 * Values are copied from the batch's bytes to the body's and never become strings. The column type decides how they are
 * written: categorical and text values are strings, verbatim. Without such a type each value decides for itself, never a
 * sample: a valid JSON number is written verbatim, a missing value as null, and anything else as a string.
 */
export function encode(options: EncodeOptions): Encode {
  const { report, features: sent, layout, wire, bodyWriter, batchBytes } = options;
  const readFields = layout.fieldReader();
  const nulls = options.nulls.map(text => Buffer.from(text));
  const opening = `{${JSON.stringify(wire.id)}:${JSON.stringify(report)},${JSON.stringify(wire.personas)}:[`;
  const personaOpening = wordView(Buffer.from(`{${JSON.stringify(wire.features)}:{`));
  const personaClosing = wordView(Buffer.from('}}'));
  const members = sent.map(({ name, index, type }, place) => {
    const opening = `${place === 0 ? '' : ','}${JSON.stringify(name)}:`;
    return {
      opening: wordView(Buffer.from(opening)),
      nullMember: wordView(Buffer.from(`${opening}null`)),
      index,
      isText: isText(type),
    };
  });
  const encodePersona = (words: WordView, { starts, ends }: Fields, first: number): void => {
    bodyWriter.copy(personaOpening);
    for (const { opening, nullMember, index, isText } of members) {
      const start = starts[first + index] ?? 0;
      const end = ends[first + index] ?? 0;
      if (start === end || (nulls.length > 0 && nulls.some(text => equalsAt(words.bytes, start, end, text))))
        bodyWriter.copy(nullMember);
      else bodyWriter.member(opening, words, start, end, isText);
    }
    bodyWriter.copy(personaClosing);
  };

  return function* encodeBatch(batch): Generator<Encoded> {
    const fields = readFields(batch);
    const words = wordView(fields.bytes);
    bodyWriter.begin(opening);
    for (let row = 0; row < fields.rows; row++) {
      if (row > 0) bodyWriter.copy(COMMA);
      encodePersona(words, fields, row * fields.width);
    }
    bodyWriter.copy(CLOSING);
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
const COMMA = wordView(Buffer.from(','));
const CLOSING = wordView(Buffer.from(']}'));

const equalsAt = (bytes: Buffer, start: number, end: number, text: Buffer): boolean =>
  end - start === text.length && bytes.compare(text, 0, text.length, start, end) === 0;

/** Estimated bytes of a persona in a body, without its values. */
export function rowOverhead(sent: readonly FeatureColumn[], wire: Wire): number {
  const names = sent.reduce((bytes, { name }) => bytes + Buffer.byteLength(JSON.stringify(name)) + 4, 0);
  return names + Buffer.byteLength(JSON.stringify(wire.features)) + 6;
}
