import { randomUUID } from 'node:crypto';
import { takenOver } from '../../../src/storage/durable-output.ts';
import type { AppendedFile, Json, StoredPoint } from '../../../src/storage/partial-file.ts';
import type { Claim } from './claim.ts';
import { type ObjectClient, unless } from './object-client.ts';

/** What a checkpoint records of an upload. */
export interface UploadState {
  [name: string]: Json;
  upload: string;
  /** The object that is made of it has this token, so a run recognizes its own. */
  token: string;
  partBytes: number;
  /** The tags of its whole parts. */
  tags: string[];
}

/** Parts that are uploaded while the next one is filled. */
const PARTS_AT_ONCE = 2;

/** Bytes that become the parts of an upload. Those after the last whole part are carried by the checkpoint. */
export class PartStream implements AppendedFile {
  readonly #name: string;
  readonly #object: ObjectClient;
  readonly #claim: Claim;
  readonly #partBytes: number;
  readonly #token: string;
  readonly #tags: string[];
  #upload: Promise<string> | undefined;
  #id = '';
  /** Not used again once it is full: a point may still refer to it. */
  #part: Buffer;
  #length: number;
  /** Number of whole parts so far. */
  #parts: number;
  #inProgress: Promise<void>[] = [];

  /**
   * @param name for messages
   * @param from an upload to go on with, and the bytes after its whole parts
   */
  constructor(
    name: string,
    object: ObjectClient,
    claim: Claim,
    partBytes: number,
    from?: { state: UploadState; carried: Buffer },
  ) {
    this.#name = name;
    this.#object = object;
    this.#claim = claim;
    this.#partBytes = from?.state.partBytes ?? partBytes;
    this.#token = from?.state.token ?? randomUUID();
    this.#tags = [...(from?.state.tags ?? [])];
    this.#parts = this.#tags.length;
    this.#id = from?.state.upload ?? '';
    if (from !== undefined) this.#upload = Promise.resolve(this.#id);
    this.#part = Buffer.alloc(this.#partBytes);
    this.#length = from?.carried.copy(this.#part) ?? 0;
  }

  /** The upload that it has begun, if any. */
  get upload(): string | undefined {
    return this.#id === '' ? undefined : this.#id;
  }

  async append(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length; ) {
      const piece = bytes.subarray(at, at + this.#partBytes - this.#length);
      this.#part.set(piece, this.#length);
      this.#length += piece.length;
      at += piece.length;
      if (this.#length === this.#partBytes) await this.#send();
    }
  }

  point(): StoredPoint {
    const parts = this.#parts;
    return {
      carried: this.#part.subarray(0, this.#length),
      state: (): UploadState => ({
        upload: this.#id,
        token: this.#token,
        partBytes: this.#partBytes,
        tags: this.#tags.slice(0, parts),
      }),
    };
  }

  async sync(): Promise<void> {
    await this.#begun();
    await Promise.all(this.#inProgress);
  }

  async close(): Promise<void> {
    await Promise.allSettled(this.#inProgress);
  }

  async #send(): Promise<void> {
    const [part, number] = [this.#part, ++this.#parts];
    this.#part = Buffer.alloc(this.#partBytes);
    this.#length = 0;
    const sent = this.#begun().then(async upload => {
      // A process that comes back late must not replace a part of the one that has taken over.
      await this.#claim.renew();
      this.#tags[number - 1] = await this.#object.putPart(upload, number, part).catch(error => {
        // It was completed or aborted, which only the holder of the claim does.
        unless(404)(error);
        throw takenOver(this.#name);
      });
    });
    sent.catch(() => {}); // thrown where it is awaited
    this.#inProgress.push(sent);
    if (this.#inProgress.length > PARTS_AT_ONCE) await this.#inProgress[0];
    if (this.#inProgress.length > PARTS_AT_ONCE) this.#inProgress.shift();
  }

  /** The upload begins when it is needed; the claim was made before, so whoever takes it over finds it. */
  #begun(): Promise<string> {
    this.#upload ??= this.#object.begin(this.#token).then(id => {
      this.#id = id;
      return id;
    });
    return this.#upload;
  }
}
