import { copyBytes, type WordView, wordView } from '../../formats/bytes/word-view.ts';
import { MAX_DECIMAL_BYTES, writeDecimal } from '../../formats/bytes/write-decimal.ts';
import type { EncodedPersonas, PersonaError } from './encode-personas.ts';

const COMMA = 0x2c;
/** `}}` as a little-endian word. */
const END = 0x7d7d;

/**
 * Writes responses as bytes. This is many times faster than creating an object per persona, and it preserves the order of
 * the classes and a class named __proto__.
 */
export class ResponseWriter {
  /** What is before each probability. */
  readonly #heads: readonly WordView[];
  /** Maximum size of a prediction, which ends in two braces, and of a comma. */
  readonly #maxBytes: number;

  constructor(classes: readonly string[]) {
    this.#heads = classes.map((name, i) =>
      wordView(Buffer.from(`${i === 0 ? '{"probabilities":{' : ','}${JSON.stringify(name)}:`)),
    );
    const heads = this.#heads.reduce((sum, { bytes }) => sum + bytes.length, 0);
    this.#maxBytes = heads + classes.length * MAX_DECIMAL_BYTES + 3;
  }

  /** The body of POST /user/persona. */
  single(id: string, probabilities: Float64Array): Buffer {
    const into = wordView(Buffer.allocUnsafe(this.#maxBytes));
    const end = this.#write(probabilities, 0, into, 0);
    // The id takes over the opening brace.
    return Buffer.concat([Buffer.from(`{"id":${JSON.stringify(id)},`), into.bytes.subarray(1, end)]);
  }

  /** Consecutive predictions of POST /user/batch-persona. */
  predictions({ rows, errors }: EncodedPersonas, probabilities: Float64Array): Buffer {
    const texts = new Map([...errors].map(([row, error]) => [row, errorText(error)]));
    let size = rows * this.#maxBytes;
    for (const { length } of texts.values()) size += length;
    const into = wordView(Buffer.allocUnsafeSlow(size));
    let at = 0;
    for (let row = 0; row < rows; row++) {
      if (row > 0) into.bytes[at++] = COMMA;
      const text = texts.size === 0 ? undefined : texts.get(row);
      if (text === undefined) at = this.#write(probabilities, row, into, at);
      else at += text.copy(into.bytes, at);
    }
    return into.bytes.subarray(0, at);
  }

  /** The body of POST /user/batch-persona, of all its `predictions`. */
  batch(id: string, predictions: readonly Buffer[]): Buffer {
    const comma = Buffer.of(COMMA);
    const parts = predictions.flatMap((part, i) => (i === 0 ? [part] : [comma, part]));
    return Buffer.concat([
      Buffer.from(`{"id":${JSON.stringify(id)},"predictions":[`),
      ...parts,
      Buffer.from(']}'),
    ]);
  }

  #write(probabilities: Float64Array, row: number, into: WordView, to: number): number {
    const heads = this.#heads;
    let at = to;
    for (let i = 0; i < heads.length; i++) {
      const head = heads[i] as WordView; // below the length
      at = copyBytes(head, 0, head.bytes.length, into, at);
      at = writeDecimal(probabilities[row * heads.length + i] as number, into, at);
    }
    into.view.setUint16(at, END, true);
    return at + 2;
  }
}

const errorText = ({ code, message }: PersonaError): Buffer =>
  Buffer.from(JSON.stringify({ error: { code, message } }));
