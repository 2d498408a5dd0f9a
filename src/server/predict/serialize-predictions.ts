import { classesOf, type Predictions, type PredictionType } from '../../base/contract/predictions.ts';
import type { ValueWarning } from '../../base/contract/schemas.ts';
import { MAX_NUMBER_BYTES } from '../../formats/appended-values.ts';
import { MAX_DECIMAL_BYTES, writeDecimal } from '../../formats/bytes/decimals.ts';
import { copyBytes, type WordView, wordView } from '../../formats/bytes/word-view.ts';
import { free } from '../../models/local/threads/transfer.ts';

const COMMA = 0x2c;
/** `}}` as a little-endian word. */
const END = 0x7d7d;

/**
 * Writes responses as bytes. This is many times faster than creating an object per persona, and it preserves the order
 * of the classes and a class named __proto__.
 */
export class ResponseWriter {
  /** What is before each number. */
  readonly #heads: readonly WordView[];
  /** Maximum size of a prediction, which ends in two braces, and of a comma. */
  readonly #maxBytes: number;
  /** Whether a prediction is a single number. */
  readonly #isOne: boolean;

  constructor(prediction: PredictionType) {
    const { opening, names } = membersOf(prediction);
    const heads = names.map((name, i) => `${i === 0 ? opening : ','}${JSON.stringify(name)}:`);
    this.#isOne = prediction.kind === 'numbers' && prediction.names.length === 0;
    this.#heads = heads.map(head => wordView(Buffer.from(head)));
    const bytes = this.#heads.reduce((sum, head) => sum + head.bytes.length, 0);
    this.#maxBytes =
      bytes + names.length * (prediction.kind === 'numbers' ? MAX_NUMBER_BYTES : MAX_DECIMAL_BYTES) + 3;
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
    { rows, errors }: Pick<Predicted, 'rows' | 'errors'>,
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

  #write(numbers: Float64Array, row: number, into: WordView, to: number): number {
    const heads = this.#heads;
    let at = to;
    for (let i = 0; i < heads.length; i++) {
      const head = heads[i] as WordView; // below the length
      at = copyBytes(head, 0, head.bytes.length, into, at);
      at = writeDecimal(numbers[row * heads.length + i] as number, into, at);
    }
    into.view.setUint16(at, END, true);
    return at + (this.#isOne ? 1 : 2);
  }
}

function membersOf(prediction: PredictionType): { opening: string; names: readonly string[] } {
  if (prediction.kind !== 'numbers') return { opening: '{"probabilities":{', names: classesOf(prediction) };
  const { names } = prediction;
  return names.length === 0 ? { opening: '{', names: ['value'] } : { opening: '{"values":{', names };
}

const errorText = ({ code, message }: { code: string; message: string }): Buffer =>
  Buffer.from(JSON.stringify({ error: { code, message } }));

/** A response of up to this size is written at once. */
const TEXT_BYTES = 2 << 20;
/** The size of the pieces of a larger one. */
const PIECE_BYTES = 64 << 10;
/**
 * The memory of the pieces that are being sent: those in the socket and behind it, and those that were sent, of which
 * the kernel takes some megabytes of a client that does not read, and which are collected late.
 */
const SENDING_BYTES = 1 << 20;
/** About the memory of an error. */
const ERROR_BYTES = 200;

interface Predicted {
  rows: number;
  errors: Predictions['errors'];
  probabilities: Float64Array;
}

/**
 * The memory that a response will take, if it is added in slices of so many rows: what cannot be kept is not worth
 * being predicted.
 */
export function expectedBytes(
  rows: number,
  sliceRows: number,
  { maxBytes, classes }: ResponseWriter,
): number {
  if (rows * maxBytes <= TEXT_BYTES) return rows * maxBytes;
  const texts = Math.floor(TEXT_BYTES / (sliceRows * maxBytes)) * sliceRows;
  return texts * maxBytes + SENDING_BYTES + (rows - texts) * classes * Float64Array.BYTES_PER_ELEMENT;
}

/**
 * The response of POST /user/batch-persona. With many classes, its text is ten times larger than the probabilities, so
 * what exceeds a few MiB stays numbers until the client reads it.
 */
export class BatchResponse {
  readonly #text: Buffer[] = [];
  readonly #unwritten: Predicted[] = [];
  /** The memory that it takes. */
  bytes = 0;

  /** Whether it is written in one piece. */
  get isWhole(): boolean {
    return this.#unwritten.length === 0;
  }

  /** Adds the predictions of consecutive personas. */
  add(
    { rows, errors }: Omit<Predicted, 'probabilities'>,
    probabilities: Float64Array,
    writer: ResponseWriter,
  ): void {
    const size = rows * writer.maxBytes;
    const errorBytes = errors.size * ERROR_BYTES;
    if (this.isWhole && this.bytes + size <= TEXT_BYTES) {
      this.#text.push(writer.predictions({ rows, errors }, probabilities));
      this.bytes += size + errorBytes;
      return;
    }
    if (this.isWhole) this.bytes += SENDING_BYTES;
    // The engine may use its memory again.
    this.#unwritten.push({ rows, errors, probabilities: probabilities.slice() });
    this.bytes += probabilities.byteLength + errorBytes;
  }

  /** Writes the response in one piece, or in many if it is large. */
  *pieces(id: string, writer: ResponseWriter): Generator<Buffer, undefined> {
    if (this.isWhole) {
      yield writer.batch(id, this.#text);
      return;
    }
    yield writer.begin(id, this.#text);
    let isContinued = this.#text.length > 0;
    this.#text.length = 0;
    const step = Math.max(1, Math.floor(PIECE_BYTES / writer.maxBytes));
    for (
      let predicted = this.#unwritten.shift();
      predicted !== undefined;
      predicted = this.#unwritten.shift()
    ) {
      const { rows, probabilities } = predicted;
      for (let from = 0; from < rows; from += step) {
        const to = Math.min(rows, from + step);
        yield writer.predictions(predicted, probabilities, { from, to, isContinued });
        isContinued = true;
      }
      free(probabilities);
    }
    yield Buffer.from(']}');
  }

  /** Frees the numbers that are not written yet. */
  close(): void {
    for (const { probabilities } of this.#unwritten) free(probabilities);
    this.#unwritten.length = 0;
  }
}
