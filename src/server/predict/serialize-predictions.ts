import type { ValueWarning } from '../../base/contract/schemas.ts';
import { MAX_DECIMAL_BYTES, writeDecimal } from '../../formats/bytes/decimals.ts';
import { copyBytes, type WordView, wordView } from '../../formats/bytes/word-view.ts';
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
  single(id: string, probabilities: Float64Array, warnings: readonly ValueWarning[] = []): Buffer {
    const into = wordView(Buffer.allocUnsafe(this.#maxBytes));
    const end = this.#write(probabilities, 0, into, 0);
    // The id takes over the opening brace.
    const head = Buffer.from(`{"id":${JSON.stringify(id)},`);
    if (warnings.length === 0) return Buffer.concat([head, into.bytes.subarray(1, end)]);
    const tail = Buffer.from(`,"warnings":${JSON.stringify(warnings)}}`);
    return Buffer.concat([head, into.bytes.subarray(1, end - 1), tail]);
  }

  get classes(): number {
    return this.#heads.length;
  }

  /** The maximum bytes of one prediction. */
  get maxBytes(): number {
    return this.#maxBytes;
  }

  /**
   * Consecutive predictions of POST /user/batch-persona.
   *
   * @param part the rows of a piece, all by default, and whether it follows another one
   */
  predictions(
    { rows, errors }: Pick<EncodedPersonas, 'rows' | 'errors'>,
    probabilities: Float64Array,
    { from = 0, to = rows, isContinued = false }: { from?: number; to?: number; isContinued?: boolean } = {},
  ): Buffer {
    const texts = new Map<number, Buffer>();
    let size = (to - from) * this.#maxBytes + 1;
    for (const [row, error] of errors) {
      if (row < from || row >= to) continue;
      const text = errorText(error);
      texts.set(row, text);
      size += text.length;
    }
    const into = wordView(Buffer.allocUnsafeSlow(size));
    let at = 0;
    for (let row = from; row < to; row++) {
      if (row > from || isContinued) into.bytes[at++] = COMMA;
      const text = texts.size === 0 ? undefined : texts.get(row);
      if (text === undefined) at = this.#write(probabilities, row, into, at);
      else at += text.copy(into.bytes, at);
    }
    return into.bytes.subarray(0, at);
  }

  /** The body of POST /user/batch-persona, of all its `predictions`. */
  batch(id: string, predictions: readonly Buffer[]): Buffer {
    return Buffer.concat([this.begin(id, predictions), Buffer.from(']}')]);
  }

  /** The beginning of that body. */
  begin(id: string, predictions: readonly Buffer[]): Buffer {
    const comma = Buffer.of(COMMA);
    const parts = predictions.flatMap((part, i) => (i === 0 ? [part] : [comma, part]));
    return Buffer.concat([Buffer.from(`{"id":${JSON.stringify(id)},"predictions":[`), ...parts]);
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
