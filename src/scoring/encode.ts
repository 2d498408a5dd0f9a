import type { Wire } from '../contract/wire-names.ts';
import { type WordView, wordView } from '../formats/bytes/word-view.ts';
import { type Batch, countRows, sliceBatch } from '../formats/csv/batch.ts';
import type { Dialect } from '../formats/csv/dialect.ts';
import type { Fault } from '../formats/csv/faults.ts';
import { FieldReader, type Fields } from '../formats/csv/field-reader.ts';
import { isNumber } from '../formats/json/write-bytes.ts';
import type { BodyWriter } from './body-writer.ts';
import type { FeatureColumn } from './feature-columns.ts';

/** A batch whose fields were read: all that merge needs to know beside its answer. */
export interface Parsed {
  readonly batch: Batch;
  /** Index of a malformed record → what is wrong with it; such records are not sent. */
  readonly faults: ReadonlyMap<number, Fault>;
}

/** A batch with the request body that scores it. */
export interface Encoded extends Parsed {
  /** How many personas the body holds. */
  readonly personas: number;
  readonly body: Buffer;
}

export interface EncodeOptions {
  /** The report's id. */
  report: string;
  /** The columns that are sent. */
  features: readonly FeatureColumn[];
  /** Fields that a record of the input has. */
  width: number;
  dialect: Dialect;
  /** Spellings of a missing value beside the empty one. */
  nulls: readonly string[];
  wire: Wire;
  /** Where bodyWriter are written; one that is done with may be released there. */
  bodyWriter: BodyWriter;
  /** Most bytes of a body that holds more than one persona; asked anew for each. */
  batchBytes: () => number;
}

/** A batch to the body of its call, or to several. */
export type Encode = (batch: Batch) => Generator<Encoded>;

/**
 * A stage: a batch to the body of its call. A body that comes out over the limit is cut in halves.
 *
 * Values go from the batch's bytes to the body's, and never become text. A type decides how they are written, where
 * there is one: a categorical goes as a string, verbatim. Otherwise the value alone decides, never a sample: what is
 * a JSON number goes verbatim as a number, all else as a string, empty fields and other spellings of null as null.
 */
export function encode(options: EncodeOptions): Encode {
  const { report, features: sent, width, dialect, wire, bodyWriter, batchBytes } = options;
  const fieldReader = new FieldReader(width, dialect);
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
    const fields = fieldReader.read(batch);
    const words = wordView(fields.bytes);
    bodyWriter.begin(opening);
    for (let row = 0; row < fields.rows; row++) {
      if (row > 0) bodyWriter.copy(COMMA);
      encodePersona(words, fields, row * width);
    }
    bodyWriter.copy(CLOSING);
    if (bodyWriter.length > batchBytes() && countRows(batch) > 1) {
      const middle = batch.ends.length >> 1;
      yield* encodeBatch(sliceBatch(batch, 0, middle, dialect));
      yield* encodeBatch(sliceBatch(batch, middle, batch.ends.length, dialect));
    } else {
      const body = fields.rows === 0 ? NO_BODY : bodyWriter.take();
      yield { batch, faults: fields.faults, personas: fields.rows, body };
    }
  };
}

/** Of a batch of nothing but blank lines and malformed records, which is not sent. */
const NO_BODY = Buffer.alloc(0);
const COMMA = wordView(Buffer.from(','));
const CLOSING = wordView(Buffer.from(']}'));

const equalsAt = (bytes: Buffer, start: number, end: number, text: Buffer): boolean =>
  end - start === text.length && bytes.compare(text, 0, text.length, start, end) === 0;

/** Bytes that a persona takes in a body beside its values' own: what `batchBytes` is reckoned with. */
export function rowOverhead(sent: readonly FeatureColumn[], wire: Wire): number {
  const names = sent.reduce((bytes, { name }) => bytes + Buffer.byteLength(JSON.stringify(name)) + 4, 0);
  return names + Buffer.byteLength(JSON.stringify(wire.features)) + 6;
}

/** A field as a JSON value, by the same rule; it is not empty and no other spelling of null. */
export function encodeValue(field: string, type: string | undefined): string {
  const bytes = Buffer.from(field);
  return isText(type) || !isNumber(bytes, 0, bytes.length) ? JSON.stringify(field) : field;
}

const isText = (type: string | undefined): boolean => type === 'categorical' || type === 'text';
