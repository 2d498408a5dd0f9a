import { type ErrorDetails, RowcastError } from '../../base/errors.ts';
import { counted } from '../../base/number-text.ts';
import { checkHint } from '../../base/shell-pipe.ts';

/** Consecutive bytes of one frame. They are valid until the next piece is asked for. */
export interface FramePiece {
  readonly bytes: Buffer;
  /** Where its frame begins, in bytes of the file. */
  readonly frameAt: number;
  /** Whether the frame ends with it. */
  readonly isLast: boolean;
}

/**
 * Splits zstd data into its frames (RFC 8878, section 3.1) without decompressing it, because a decompressor alone does
 * not tell data that was cut off, or followed by something else, from what is complete. Skippable frames are left out.
 *
 * @param file for messages
 * @param maxWindowBytes the most that a decompressor may have to remember, which the sender of the data chooses
 * @throws RowcastError `bad_zstd`
 */
export async function* framesOf(
  chunks: AsyncIterable<Buffer>,
  file: string,
  maxWindowBytes = Number.POSITIVE_INFINITY,
): AsyncGenerator<FramePiece> {
  let frame = new FrameEnd();
  let frameAt = 0;
  let chunkAt = 0;
  /** The first bytes of a frame of which it is not known yet whether it is skippable. */
  let held: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    for (let from = 0; from < chunk.length; ) {
      const to = frame.find(chunk, from);
      if (to === undefined) throw notAFrame(file, frameAt);
      if (frame.windowBytes > maxWindowBytes) throw windowTooLarge(file, frame.windowBytes, maxWindowBytes);
      const read = chunk.subarray(from, to);
      const bytes = held.length === 0 ? read : Buffer.concat([held, read]);
      held = frame.isSkippable === undefined ? Buffer.from(bytes) : Buffer.alloc(0);
      if (frame.isSkippable === false) yield { bytes, frameAt, isLast: frame.isOver };
      if (frame.isOver) {
        frame = new FrameEnd();
        frameAt = chunkAt + to;
      }
      from = to;
    }
    chunkAt += chunk.length;
  }
  if (chunkAt > frameAt)
    throw badZstd(file, `the zstd data is truncated: the frame that begins at byte ${frameAt} has no end`, {
      isUnfinished: true,
    });
}

export const badZstd = (
  file: string,
  message: string,
  more: Pick<ErrorDetails, 'cause' | 'isUnfinished'> = {},
): RowcastError =>
  new RowcastError('bad_zstd', message, {
    severity: 'stopped',
    location: { file },
    hint: checkHint(file, 'zstd -t'),
    ...more,
  });

const notAFrame = (file: string, at: number): RowcastError =>
  badZstd(file, `the zstd data is damaged: what begins at byte ${at} is not a frame`);

const windowTooLarge = (file: string, bytes: number, most: number): RowcastError =>
  new RowcastError(
    'bad_zstd',
    `the zstd data has a window of ${counted(bytes)} bytes; the limit here is ${counted(most)}`,
    { location: { file }, hint: 'Compress it again, with zstd --long=27 or less.' },
  );

const MAGIC = 0xfd2fb528;
/** The first of 16 magic numbers. */
const SKIPPABLE_MAGIC = 0x184d2a50;
/** Bytes of a dictionary's id and of the size of the content, by their flags. */
const DICTIONARY_BYTES = [0, 1, 2, 4];
const SIZE_BYTES = [0, 2, 4, 8];
const CHECKSUM_BYTES = 4;
const RLE = 1;
const RESERVED = 3;

/** What has to be read next to find the end of a frame. */
type Field = 'magic' | 'descriptor' | 'window' | 'content size' | 'block' | 'skippable size';

const FIELD_BYTES: Readonly<Record<Exclude<Field, 'content size'>, number>> = {
  magic: 4,
  descriptor: 1,
  window: 1,
  block: 3,
  'skippable size': 4,
};

/** The bytes of a window, by its descriptor (section 3.1.1.1.2). */
const windowOf = (descriptor: number): number => 2 ** (10 + (descriptor >> 3)) * (1 + (descriptor & 7) / 8);

/** Finds the end of one frame, whose bytes come in pieces. */
class FrameEnd {
  isOver = false;
  /** Undefined before its magic number is known. */
  isSkippable: boolean | undefined;
  /** What a decompressor has to remember; 0 before it is known. */
  windowBytes = 0;
  #field: Field = 'magic';
  /** The bytes of the field so far, as a number, the first one being the lowest. */
  #value = 0;
  #length = 0;
  /** Bytes before the next field, or before the end. */
  #skip = 0;
  #isLast = false;
  #checksumBytes = 0;
  #dictionaryBytes = 0;
  #sizeBytes = 0;

  /** @returns the index after the last byte of the frame in this chunk; undefined if these bytes are not a frame */
  find(chunk: Buffer, from: number): number | undefined {
    let at = from;
    while (at < chunk.length && !this.isOver) {
      if (this.#skip > 0) {
        const skipped = Math.min(this.#skip, chunk.length - at);
        this.#skip -= skipped;
        at += skipped;
      } else {
        this.#value += (chunk[at++] ?? 0) * 2 ** (8 * this.#length++);
        const length = this.#field === 'content size' ? this.#sizeBytes : FIELD_BYTES[this.#field];
        if (this.#length === length) {
          if (!this.#read(this.#value)) return undefined;
          this.#value = this.#length = 0;
        }
      }
      this.isOver = this.#isLast && this.#skip === 0;
    }
    return at;
  }

  /** @returns whether the field can have this value */
  #read(value: number): boolean {
    switch (this.#field) {
      case 'magic':
        this.isSkippable = value >= SKIPPABLE_MAGIC && value < SKIPPABLE_MAGIC + 16;
        this.#field = this.isSkippable ? 'skippable size' : 'descriptor';
        return this.isSkippable || value === MAGIC;
      case 'skippable size':
        this.#skip = value;
        this.#isLast = true;
        return true;
      case 'descriptor': {
        const isSingleSegment = (value & 0x20) !== 0;
        const sizeFlag = value >> 6;
        this.#sizeBytes = sizeFlag === 0 && isSingleSegment ? 1 : (SIZE_BYTES[sizeFlag] ?? 0);
        this.#dictionaryBytes = DICTIONARY_BYTES[value & 3] ?? 0;
        this.#checksumBytes = (value & 4) !== 0 ? CHECKSUM_BYTES : 0;
        // A frame of a single segment has no window: all of its content is remembered.
        if (isSingleSegment) this.#skip = this.#dictionaryBytes;
        this.#field = isSingleSegment ? 'content size' : 'window';
        return true;
      }
      case 'window':
        this.windowBytes = windowOf(value);
        this.#skip = this.#dictionaryBytes + this.#sizeBytes;
        this.#field = 'block';
        return true;
      case 'content size':
        this.windowBytes = value;
        this.#field = 'block';
        return true;
      case 'block': {
        const type = (value >> 1) & 3;
        this.#isLast = (value & 1) === 1;
        this.#skip = (type === RLE ? 1 : value >> 3) + (this.#isLast ? this.#checksumBytes : 0);
        return type !== RESERVED;
      }
    }
  }
}
