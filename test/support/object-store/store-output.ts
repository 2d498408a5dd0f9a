import { createHash } from 'node:crypto';
import { RowcastError } from '../../../src/base/errors.ts';
import type {
  CheckpointPlace,
  DurableOutput,
  OutputLock,
  OutputState,
  StoredExtent,
} from '../../../src/storage/durable-output.ts';
import { Tail } from '../../../src/storage/tail-digest.ts';
import { Claim, type ClaimHolder } from './claim.ts';
import { ObjectClient, unless } from './object-client.ts';
import { PartStream, type UploadState } from './part-stream.ts';

export interface StoreOptions {
  /** The name that requests carry, for the hooks of the service. */
  client: string;
  holder: ClaimHolder;
  partBytes: number;
  /** How long a claim holds that was not written again. */
  leaseMs: number;
}

/** An object that is uploaded in parts. */
export class StoreOutput implements DurableOutput {
  readonly name: string;
  readonly address: string;
  readonly partialName: string;
  readonly folder: string;
  readonly canRemove = false;
  readonly checkpoint: CheckpointPlace;
  readonly #object: ObjectClient;
  readonly #claim: Claim;
  readonly #options: StoreOptions;
  #stream: PartStream | undefined;

  /** @param of the output whose checkpoint covers this one, if it is not its own */
  constructor(name: string, options: StoreOptions, of?: Claim) {
    this.name = this.address = this.partialName = this.folder = name;
    this.#options = options;
    this.#object = new ObjectClient(name, options.client);
    const place = `${name}.checkpoint`;
    const own = new ObjectClient(place, options.client);
    this.#claim = of ?? new Claim(own, name, options.holder, options.leaseMs);
    this.checkpoint = checkpointIn(place, this.#claim);
  }

  beside(suffix: string): StoreOutput {
    return this.at(this.name + suffix);
  }

  at(address: string): StoreOutput {
    return new StoreOutput(address, this.#options, this.#claim);
  }

  lock(): Promise<OutputLock> {
    return this.#claim.take();
  }

  async state(): Promise<OutputState> {
    const found = await this.#claim.find();
    const head = await this.#object.head();
    const uploads = await this.#object.uploads();
    let bytes = 0;
    for (const upload of uploads)
      for (const { size } of (await this.#object.parts(upload).catch(unless(404))) ?? []) bytes += size;
    const [host] = found?.holder?.realm.split(' ', 1) ?? [];
    return {
      checkpoint:
        found === undefined || found.payload.length === 0
          ? undefined
          : { bytes: found.payload, modified: found.head.modified },
      holder: found && this.#claim.isHeld(found) ? { pid: found.holder?.pid, host } : undefined,
      partialBytes: uploads.length === 0 ? undefined : bytes,
      finished: head && { bytes: head.size, modified: head.modified },
    };
  }

  async exists(): Promise<boolean> {
    return (await this.#object.head()) !== undefined;
  }

  async readStart(bytes: number): Promise<Buffer | undefined> {
    return (await this.#object.get(0, bytes))?.bytes;
  }

  async sha256(): Promise<string> {
    const { bytes } = (await this.#object.get()) ?? { bytes: '' };
    return createHash('sha256').update(bytes).digest('hex');
  }

  async verify({ bytes, state, carried }: StoredExtent): Promise<Tail> {
    // This process has the tag of every part that it uploaded.
    if (bytes === 0 || this.#stream !== undefined) return Tail.empty;
    const { upload, tags, partBytes } = state as UploadState; // as it was recorded
    const parts = await this.#object.parts(upload).catch(unless(404));
    if (parts === undefined)
      throw new RowcastError('partial_too_short', 'the upload is gone', {
        location: { file: this.name },
        hint: 'It was aborted: use --restart to start over.',
      });
    const found = new Map(parts.map(({ part, etag }) => [part, etag]));
    const isWhole = tags.length * partBytes + (carried?.length ?? 0) === bytes;
    if (isWhole && tags.every((tag, i) => found.get(i + 1) === tag)) return Tail.empty;
    throw new RowcastError('partial_damaged', 'the parts of the upload are not those that were written', {
      location: { file: this.name },
      hint: 'Use --restart to start over.',
    });
  }

  async verifyWhole(): Promise<void> {
    // The service compares the tags when the upload is completed.
  }

  async open({ bytes, state, carried = Buffer.alloc(0) }: StoredExtent): Promise<PartStream> {
    if (bytes === 0) await this.clear();
    const from = bytes === 0 ? undefined : { state: state as UploadState, carried }; // as it was recorded
    this.#stream = new PartStream(this.name, this.#object, this.#claim, this.#options.partBytes, from);
    return this.#stream;
  }

  async settle(): Promise<void> {}

  async publish({ bytes, state, carried = Buffer.alloc(0) }: StoredExtent): Promise<void> {
    const { upload, tags, token } = state as UploadState; // as it was recorded
    try {
      const last =
        carried.length > 0 || tags.length === 0
          ? [await this.#object.putPart(upload, tags.length + 1, carried)]
          : [];
      await this.#object.complete(upload, [...tags, ...last]);
    } catch (error) {
      unless(404)(error);
      const head = await this.#object.head();
      if (head?.token === token && head.size === bytes) return;
      throw new RowcastError('output_lost', 'the upload is gone, and the object is another one', {
        location: { file: this.name },
        hint: 'Another program aborted it: use --restart to start over.',
      });
    }
  }

  async remove(): Promise<void> {
    throw new Error('objects cannot be removed here');
  }

  async clear(): Promise<void> {
    const uploads = await this.#object.uploads();
    // If another process has taken over before they were listed, they may be its own.
    if (uploads.length > 0) await this.#claim.confirm();
    for (const upload of uploads) await this.#object.abort(upload);
  }

  async discard({ state }: Partial<StoredExtent> = {}): Promise<void> {
    // Another process may have gone on with an upload if the response to a checkpoint of this one was lost.
    if (this.#claim.isUncertain) return;
    const recorded = (state as UploadState | undefined)?.upload; // as it was recorded
    for (const upload of new Set([recorded, this.#stream?.upload]))
      if (upload !== undefined) await this.#object.abort(upload);
  }

  discardFormer(extent: StoredExtent): Promise<void> {
    return this.discard(extent);
  }

  setAside(extent?: StoredExtent): Promise<void> {
    return this.discard(extent);
  }

  async removeSetAside(): Promise<void> {}
}

/** Nothing can be set aside: an upload has no name that it could lose. */
const checkpointIn = (name: string, claim: Claim): CheckpointPlace => ({
  name,
  read: () => claim.read(),
  replace: bytes => claim.write(bytes),
  remove: () => claim.write(Buffer.alloc(0)),
  setAside: () => claim.write(Buffer.alloc(0)),
  readSetAside: async () => undefined,
  removeSetAside: async () => {},
});
