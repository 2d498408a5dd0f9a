import { createHash, randomUUID } from 'node:crypto';
import { RowcastError } from '../../base/errors.ts';
import { schemeOf } from '../../base/scheme.ts';
import { Tail } from '../digests.ts';
import {
  type CheckpointPlace,
  type DurableOutput,
  type OutputLock,
  type OutputState,
  partLost,
  type StoredExtent,
} from '../durable-output.ts';
import { Claim, type ClaimHolder } from './claim.ts';
import { copyObjects } from './copy-objects.ts';
import type { WritableObject } from './object-client.ts';
import { openObject } from './object-input.ts';
import { PartStream, partBytesFor, type UploadState, uploadShape } from './part-stream.ts';
import { type Purpose, StoreError, storeError, unless } from './store-error.ts';

export interface ObjectOutputOptions {
  /** The object with a URL in the same store. */
  object(name: string): WritableObject;
  holder: ClaimHolder;
  /** Undefined: it depends on the size of the input. */
  partBytes: number | undefined;
  /** How long a claim holds without being written again. */
  leaseMs: number;
  /** How long a response may stall before its bytes are requested again. */
  stallMs: number;
}

const NOTHING: Buffer = Buffer.alloc(0);

/** An object that is uploaded in parts: it appears when they are complete. */
export class ObjectOutput implements DurableOutput {
  readonly name: string;
  readonly address: string;
  readonly partialName: string;
  readonly folder: string;
  /** A checkpoint is a request, and may carry a part. */
  readonly defaultInterval = 10;
  readonly checkpoint: CheckpointPlace;
  readonly #object: WritableObject;
  readonly #claim: Claim;
  readonly #options: ObjectOutputOptions;
  /** Whether its checkpoint is its own. */
  readonly #isOwn: boolean;
  #stream: PartStream | undefined;

  /** @param of the output whose checkpoint covers this one, if it is not its own */
  constructor(name: string, options: ObjectOutputOptions, of?: Claim) {
    this.name = this.address = this.partialName = this.folder = name;
    this.#options = options;
    this.#object = options.object(name);
    const place = `${name}.checkpoint`;
    this.#isOwn = of === undefined;
    this.#claim = of ?? new Claim(options.object(place), name, options.holder, options.leaseMs);
    this.checkpoint = checkpointIn(place, this.#claim);
  }

  beside(suffix: string): ObjectOutput {
    return this.at(this.name + suffix);
  }

  at(address: string): ObjectOutput {
    return new ObjectOutput(address, this.#options, this.#claim);
  }

  lock(): Promise<OutputLock> {
    return this.#claim.take();
  }

  async state(): Promise<OutputState> {
    const found = await this.#claim.find();
    const head = await this.#do('read', () => this.#object.head());
    const [host] = found?.holder?.realm.split(' ', 1) ?? [];
    return {
      checkpoint:
        found === undefined || found.payload.length === 0
          ? undefined
          : { bytes: found.payload, modified: found.head.modified },
      holder: found && this.#claim.isHeld(found) ? { pid: found.holder?.pid, host } : undefined,
      partialBytes: await this.#do('read', () => this.#partialBytes()),
      finished: head && { bytes: head.size, modified: head.modified },
    };
  }

  async exists(): Promise<boolean> {
    return (await this.#do('read', () => this.#object.head())) !== undefined;
  }

  async readStart(bytes: number): Promise<Buffer | undefined> {
    const { size, version } = (await this.#do('read', () => this.#object.head())) ?? {};
    if (size === undefined) return undefined;
    const parts: Buffer[] = [];
    const range = { from: 0, end: Math.min(bytes, size), version };
    if (range.end > 0)
      await this.#do('read', async () => {
        for await (const part of await this.#object.read(range)) parts.push(Buffer.from(part));
      });
    return Buffer.concat(parts);
  }

  async sha256(): Promise<string> {
    const hash = createHash('sha256');
    const { stream } = await openObject(this.#object, this.#options.stallMs);
    for await (const chunk of stream) hash.update(chunk);
    return hash.digest('hex');
  }

  async verify({ bytes, state, carried }: StoredExtent): Promise<Tail> {
    // This process has the tag of every part that it uploaded.
    if (bytes === 0 || this.#stream !== undefined) return Tail.empty;
    const { upload, tags, partBytes } = this.#recorded(state);
    const parts = await this.#do('read', () => this.#object.parts(upload).catch(unless('missing')));
    if (parts === undefined)
      throw new RowcastError('partial_too_short', 'the upload of the unfinished run is gone', {
        location: { file: this.name },
        hint: 'It was aborted, or has expired: use --restart to start over.',
      });
    const found = new Map(parts.map(({ number, tag }) => [number, tag]));
    const isWhole = tags.length * partBytes + (carried?.length ?? 0) === bytes;
    if (isWhole && tags.every((tag, i) => found.get(i + 1) === tag)) return Tail.empty;
    throw new RowcastError('partial_damaged', 'the parts of the upload are not those that were written', {
      location: { file: this.name },
      hint: 'Use --restart to start over.',
    });
  }

  async verifyWhole(): Promise<void> {
    // The store compares the tags when the upload is completed.
  }

  async isPublished({ bytes, state }: StoredExtent): Promise<boolean> {
    if (bytes === 0) return true;
    const { token } = this.#recorded(state);
    const head = await this.#do('read', () => this.#object.head());
    return head?.token === token && head.size === bytes;
  }

  async *chunks(extent: StoredExtent, from = 0): AsyncGenerator<Buffer> {
    if (extent.bytes === 0) return;
    // All bytes are those of the version that is there when it is opened.
    const { version, streamFrom } = await openObject(this.#object, this.#options.stallMs);
    if (version?.size !== extent.bytes || !(await this.isPublished(extent))) throw partLost(this.name);
    if (streamFrom !== undefined) yield* streamFrom(from);
  }

  async concatenate(
    parts: readonly { address: string; bytes: number }[],
    onBytes?: (bytes: number) => void,
  ): Promise<boolean> {
    if (parts.some(({ address }) => schemeOf(address) !== schemeOf(this.name))) return false;
    await this.discard();
    const token = randomUUID();
    return this.#do('write', async () => {
      if (!(await copyObjects(this.#object, parts, token, onBytes))) return false;
      const bytes = parts.reduce((sum, part) => sum + part.bytes, 0);
      const head = await this.#object.head();
      if (head?.token !== token || head.size !== bytes) throw partLost(this.name);
      return true;
    });
  }

  async open({ bytes, state, carried = NOTHING }: StoredExtent, inputBytes?: number): Promise<PartStream> {
    if (bytes === 0) await this.discard();
    this.#stream = new PartStream(this.#object, {
      claim: this.#claim,
      // The rejects of a point may be older than the last ones.
      isRecycled: this.#isOwn,
      partBytes: this.#options.partBytes ?? partBytesFor(inputBytes),
      from: bytes === 0 ? undefined : { state: this.#recorded(state), carried },
    });
    return this.#stream;
  }

  async settle(): Promise<void> {}

  async publish({ bytes, state, carried = NOTHING }: StoredExtent): Promise<void> {
    const { upload, tags, token } = this.#recorded(state);
    const isOurs = async (): Promise<boolean> => {
      const head = await this.#object.head();
      return head?.token === token && head.size === bytes;
    };
    await this.#do('write', async () => {
      try {
        const last =
          carried.length > 0 || tags.length === 0
            ? [await this.#object.putPart(upload, tags.length + 1, carried)]
            : [];
        await this.#object.complete(upload, [...tags, ...last], token);
      } catch (error) {
        unless('missing')(error);
      }
      // A store may respond before it is done, or have completed the upload for a process that was killed then.
      if (await isOurs()) return;
      throw new RowcastError('output_lost', 'the upload is gone, and the object is another one', {
        severity: 'stopped',
        location: { file: this.name },
        hint: 'Another program aborted it: use --restart to start over.',
      });
    });
  }

  async discard(extent?: StoredExtent): Promise<void> {
    // Another process may have gone on with an upload if the response to a checkpoint of this one was lost.
    if (this.#claim.isUncertain) return;
    const known = [uploadShape.safeParse(extent?.state).data?.upload, this.#stream?.upload];
    const own = new Set(known.filter(upload => upload !== undefined));
    await this.#do('write', async () => {
      const uploads = own.size > 0 ? [...own] : await this.#object.uploads();
      // If another process has taken over before they were listed, they may be its own.
      if (own.size === 0 && uploads.length > 0) await this.#claim.confirm();
      for (const upload of uploads) await this.#object.abort(upload);
    });
  }

  /** Only the upload that is recorded is known to be of that run. */
  async discardFormer(extent: StoredExtent): Promise<void> {
    if (extent.bytes > 0) await this.discard(extent);
  }

  setAside(extent: StoredExtent): Promise<void> {
    return this.discardFormer(extent);
  }

  /** Undefined if there are none, or if the credentials do not allow listing them. */
  async #partialBytes(): Promise<number | undefined> {
    const uploads = (await this.#object.uploads().catch(unless('denied'))) ?? [];
    let bytes = 0;
    for (const upload of uploads)
      for (const part of (await this.#object.parts(upload).catch(unless('missing'))) ?? [])
        bytes += part.bytes;
    return uploads.length === 0 ? undefined : bytes;
  }

  #recorded(state: StoredExtent['state']): UploadState {
    const { data } = uploadShape.safeParse(state);
    if (data !== undefined) return data;
    throw new RowcastError('bad_checkpoint', 'the checkpoint records no upload', {
      location: { file: this.checkpoint.name },
      hint: 'Use --restart to start over.',
    });
  }

  async #do<T>(purpose: Purpose, act: () => Promise<T>): Promise<T> {
    try {
      return await act();
    } catch (error) {
      throw error instanceof StoreError ? storeError(this.name, purpose, error) : error;
    }
  }
}

/** Nothing can be set aside: an upload has no name that it could lose. */
const checkpointIn = (name: string, claim: Claim): CheckpointPlace => ({
  name,
  read: () => claim.read(),
  replace: bytes => claim.write(bytes),
  remove: () => claim.write(NOTHING),
  setAside: () => claim.write(NOTHING),
});
