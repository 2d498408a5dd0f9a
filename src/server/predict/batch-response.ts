import { free } from '../../models/local/threads/transfer.ts';
import type { PersonaError } from './encode-personas.ts';
import type { ResponseWriter } from './serialize-predictions.ts';

/** A response of up to this size is written at once. */
const TEXT_BYTES = 2 << 20;
/** The size of the pieces of a larger one. */
const PIECE_BYTES = 64 << 10;
/**
 * The memory of the pieces that are being sent: those in the socket and behind it, and those that were sent, of which the kernel
 * takes some megabytes of a client that does not read, and which are collected late.
 */
const SENDING_BYTES = 1 << 20;
/** About the memory of an error. */
const ERROR_BYTES = 200;

interface Predicted {
  rows: number;
  errors: Map<number, PersonaError>;
  probabilities: Float64Array;
}

/**
 * The memory that a response will take, if it is added in slices of so many rows: what cannot be kept is not worth being
 * predicted.
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
