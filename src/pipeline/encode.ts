import type { Wire } from '../api/wire.ts';
import { type Batch, countRows, sliceBatch } from '../csv/batch.ts';
import type { Dialect } from '../csv/dialect.ts';
import { type Fault, readFields } from '../csv/fields.ts';
import type { SentColumn } from './columns.ts';

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
  sent: readonly SentColumn[];
  /** Fields that a record of the input has. */
  width: number;
  dialect: Dialect;
  /** Spellings of a missing value beside the empty one. */
  nulls: readonly string[];
  wire: Wire;
  /** Most bytes of a body that holds more than one persona; asked anew for each. */
  batchBytes: () => number;
}

/** A batch to the body of its call, or to several. */
export type Encode = (batch: Batch) => Generator<Encoded>;

/**
 * A stage: a batch to the body of its call. A body that comes out over the limit is cut in halves.
 */
export function encode(options: EncodeOptions): Encode {
  const { report, sent, width, dialect, wire, batchBytes } = options;
  const nulls = new Set(['', ...options.nulls]);
  const opening = `{${JSON.stringify(wire.id)}:${JSON.stringify(report)},${JSON.stringify(wire.personas)}:[`;
  const personaOpening = `{${JSON.stringify(wire.features)}:{`;
  const members = sent.map(({ name, index, type }, place) => ({
    opening: `${place === 0 ? '' : ','}${JSON.stringify(name)}:`,
    index,
    encodeValue: valueEncoder(type),
  }));

  const encodePersona = (fields: readonly string[]): string => {
    let text = personaOpening;
    for (const { opening, index, encodeValue } of members) {
      const field = fields[index] ?? '';
      text += opening + (nulls.has(field) ? 'null' : encodeValue(field));
    }
    return `${text}}}`;
  };

  return function* encodeBatch(batch): Generator<Encoded> {
    const { rows, faults } = readFields(batch, width, dialect);
    const body = Buffer.from(`${opening}${rows.map(encodePersona).join(',')}]}`);
    if (body.length > batchBytes() && countRows(batch) > 1) {
      const middle = batch.ends.length >> 1;
      yield* encodeBatch(sliceBatch(batch, 0, middle, dialect));
      yield* encodeBatch(sliceBatch(batch, middle, batch.ends.length, dialect));
    } else yield { batch, faults, personas: rows.length, body };
  };
}

/** Bytes that a persona takes in a body beside its values' own: what `batchBytes` is reckoned with. */
export function rowOverhead(sent: readonly SentColumn[], wire: Wire): number {
  const names = sent.reduce((bytes, { name }) => bytes + Buffer.byteLength(JSON.stringify(name)) + 4, 0);
  return names + Buffer.byteLength(JSON.stringify(wire.features)) + 6;
}

/**
 * How a column's values are written. A type decides where there is one: a categorical goes as a string,
 * verbatim. Otherwise the value alone decides, never a sample: text that is a JSON number goes verbatim as a
 * number, all else as a string. Empty fields and other spellings of null were seen to before.
 */
export function valueEncoder(type: string | undefined): (field: string) => string {
  if (type === 'categorical') return JSON.stringify;
  return field => (isJsonNumber(field) ? field : JSON.stringify(field));
}

/** RFC 8259 section 6. */
const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
/** A double holds every integer of 15 digits, and not every one of 16 (IEEE 754 binary64). */
const LONG_INTEGER = /^-?\d{16,}$/;

function isJsonNumber(field: string): boolean {
  return JSON_NUMBER.test(field) && !LONG_INTEGER.test(field);
}
