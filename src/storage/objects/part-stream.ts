import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import { RowcastError } from '../../base/errors.ts';
import { takenOver } from '../durable-output.ts';
import type { AppendedFile, StoredPoint } from '../partial-file.ts';
import type { Claim } from './claim.ts';
import type { WritableObject } from './object-client.ts';
import { storeError, unless } from './store-error.ts';

/** What a checkpoint records of an upload. */
export const uploadShape = z.object({
  upload: z.string(),
  /** The object that is made of it has this token, so a run recognizes its own. */
  token: z.string(),
  partBytes: z.int().positive(),
  /** The tags of its whole parts. */
  tags: z.array(z.string()),
});
export type UploadState = z.infer<typeof uploadShape>;

/** Parts that are uploaded while the next one is filled. */
const PARTS_AT_ONCE = 2;

/** A multipart upload of S3 has at most this many (docs.aws.amazon.com/AmazonS3/latest/userguide/qfacts.html). */
const MAX_PARTS = 10_000;

interface PartStreamOptions {
  partBytes: number;
  /** Whether only the last point is ever gone back to, so that the memory of parts before it can be used again. */
  isRecycled?: boolean | undefined;
  /** Confirmed before each part, if there is one. */
  claim?: Claim | undefined;
  /** An upload to go on with, and the bytes after its whole parts. */
  from?: { state: UploadState; carried: Buffer } | undefined;
}

/**
 * Bytes that become the parts of an upload, all of one size. Those after the last whole part are carried by the
 * checkpoint.
 */
export class PartStream implements AppendedFile {
  readonly #object: WritableObject;
  readonly #claim: Claim | undefined;
  readonly #partBytes: number;
  readonly #token: string;
  readonly #tags: string[];
  #upload: Promise<string> | undefined;
  #id = '';
  /** Undefined while it would be empty. */
  #part: Buffer | undefined;
  #length = 0;
  /** Number of whole parts so far. */
  #parts: number;
  #inProgress: Promise<void>[] = [];
  readonly #memory: PartMemory;

  constructor(object: WritableObject, { partBytes, claim, from, isRecycled = false }: PartStreamOptions) {
    this.#object = object;
    this.#claim = claim;
    this.#partBytes = from?.state.partBytes ?? partBytes;
    this.#token = from?.state.token ?? randomUUID();
    this.#memory = new PartMemory(this.#partBytes, isRecycled ? claim : undefined);
    this.#tags = [...(from?.state.tags ?? [])];
    this.#parts = this.#tags.length;
    this.#id = from?.state.upload ?? '';
    if (this.#id !== '') this.#upload = Promise.resolve(this.#id);
    if (from !== undefined) this.#add(from.carried);
  }

  /** The upload that it has begun, if any. */
  get upload(): string | undefined {
    return this.#id === '' ? undefined : this.#id;
  }

  async append(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length; ) {
      at += this.#add(bytes.subarray(at));
      if (this.#length === this.#partBytes) await this.#send();
    }
  }

  point(): StoredPoint {
    const parts = this.#parts;
    this.#memory.pointAfter(parts);
    return {
      carried: this.#filled,
      state: (): UploadState => ({
        upload: this.#id,
        token: this.#token,
        partBytes: this.#partBytes,
        tags: this.#tags.slice(0, parts),
      }),
    };
  }

  async sync(): Promise<void> {
    this.#memory.saveBegins();
    // A checkpoint must refer to an upload that is there.
    if (this.#claim !== undefined) await this.#begun();
    await Promise.all(this.#inProgress);
  }

  async close(): Promise<void> {
    await Promise.allSettled(this.#inProgress);
  }

  /** Makes an object of what was appended; without a claim, nobody else does. @throws StoreError */
  async publish(): Promise<void> {
    if (this.upload === undefined) {
      await this.#object.put(this.#filled);
      return;
    }
    const last =
      this.#length === 0 ? [] : [await this.#object.putPart(this.upload, this.#parts + 1, this.#filled)];
    await this.#object.complete(this.upload, [...this.#tags, ...last], this.#token);
  }

  get #filled(): Buffer {
    return this.#part?.subarray(0, this.#length) ?? NOTHING;
  }

  /** @returns the number of bytes that have found room */
  #add(bytes: Uint8Array): number {
    const piece = bytes.subarray(0, this.#partBytes - this.#length);
    if (piece.length === 0) return 0;
    this.#part ??= this.#memory.take();
    this.#part.set(piece, this.#length);
    this.#length += piece.length;
    return piece.length;
  }

  async #send(): Promise<void> {
    // A part that waits for this keeps its memory, so it is not among those in progress.
    if (this.#inProgress.length >= PARTS_AT_ONCE) await this.#inProgress[0];
    if (this.#inProgress.length >= PARTS_AT_ONCE) this.#inProgress.shift();
    const memory = this.#part;
    const [part, number] = [this.#filled, ++this.#parts];
    this.#part = undefined;
    this.#length = 0;
    // One more is needed for the bytes that follow.
    if (number >= MAX_PARTS) throw tooManyParts(this.#object.name);
    const sent = this.#begun()
      .then(async upload => {
        // A process that comes back late must not replace a part of the one that has taken over.
        await this.#claim?.renew();
        this.#tags[number - 1] = await this.#object.putPart(upload, number, part).catch(error => {
          if (this.#claim === undefined) throw error;
          // It was completed or aborted, which only the holder of the claim does.
          unless('missing')(error);
          throw takenOver(this.#object.name);
        });
        if (memory !== undefined) this.#memory.uploaded(number, memory);
      })
      .catch(error => {
        throw storeError(this.#object.name, 'write', error);
      });
    sent.catch(() => {}); // thrown where it is awaited
    this.#inProgress.push(sent);
  }

  /** The upload begins when it is needed; the claim was made before, so whoever takes it over finds it. */
  #begun(): Promise<string> {
    this.#upload ??= this.#object.beginUpload(this.#token).then(
      id => {
        this.#id = id;
        return id;
      },
      error => {
        throw storeError(this.#object.name, 'write', error);
      },
    );
    return this.#upload;
  }
}

const NOTHING: Buffer = Buffer.alloc(0);

const tooManyParts = (file: string): RowcastError =>
  new RowcastError('too_many_parts', `the output would have more than ${MAX_PARTS - 1} parts`, {
    severity: 'stopped',
    location: { file },
    hint: 'Start over with larger parts: --restart --part-bytes 128MiB.',
    needsRestart: true,
  });

/** For an input of unknown size: an upload then holds 312 GiB. */
const DEFAULT_PART_BYTES = 32 << 20;
/** The smallest and largest that are chosen; S3 accepts 5 MiB to 5 GiB. */
const SMALL_PART_BYTES = 8 << 20;
const LARGE_PART_BYTES = 512 << 20;

/**
 * The size of the parts of an output: 9,000 of the 10,000 that S3 allows hold one that is half as large again as its
 * input.
 *
 * @param inputBytes undefined if not known
 */
export function partBytesFor(inputBytes: number | undefined): number {
  if (inputBytes === undefined) return DEFAULT_PART_BYTES;
  const needed = Math.ceil((1.5 * inputBytes) / 9_000);
  const whole = Math.ceil(needed / (1 << 20)) * (1 << 20);
  return Math.min(LARGE_PART_BYTES, Math.max(SMALL_PART_BYTES, whole));
}

/**
 * The memory of the parts of an upload. Left to the garbage collector, it would be several times as much. A checkpoint
 * carries bytes of a part, so memory is used again only if no point that may become a checkpoint lies in it.
 */
export class PartMemory {
  readonly #partBytes: number;
  readonly #claim: Claim | undefined;
  /** The memory of parts that were uploaded, with their numbers. */
  readonly #free: { number: number; bytes: Buffer }[] = [];
  /** The number of whole parts before the last point. */
  #before = 0;
  /** What the claim counted when the last save began. */
  #savesBefore = -1;
  /** The number of the part with the bytes that this save copies. */
  #saved = 0;

  /** @param claim counts the saves; undefined: no memory is used again */
  constructor(partBytes: number, claim: Claim | undefined) {
    this.#partBytes = partBytes;
    this.#claim = claim;
  }

  /** A point was made after so many whole parts; those before it are not gone back to. */
  pointAfter(parts: number): void {
    this.#before = parts;
  }

  /** A save has taken the last point, whose bytes it copies before it tells the claim. */
  saveBegins(): void {
    this.#savesBefore = this.#claim?.saves ?? -1;
    this.#saved = this.#before + 1;
  }

  /** @param number of the part, from 1 */
  uploaded(number: number, bytes: Buffer): void {
    if (this.#claim !== undefined) this.#free.push({ number, bytes });
  }

  take(): Buffer {
    const isSaving = this.#claim !== undefined && this.#claim.saves === this.#savesBefore;
    const found = this.#free.findIndex(
      ({ number }) => number <= this.#before && !(isSaving && number === this.#saved),
    );
    const [part] = found < 0 ? [] : this.#free.splice(found, 1);
    return part?.bytes ?? Buffer.allocUnsafeSlow(this.#partBytes);
  }
}
