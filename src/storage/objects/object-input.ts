import { unlessStopped } from '../../base/interrupted.ts';
import { type ByteStream, inputChanged, type StoredInput } from '../source.ts';
import type { ObjectHead, ObjectReader } from './object-client.ts';
import { StoreError, storeError } from './store-error.ts';

/**
 * Opens an object for reading. All bytes come from the version that is there now.
 *
 * @param stallMs how long nothing may arrive before it is requested again
 * @param stop ends the waiting
 * @throws RowcastError `no_such_file`, `unreadable_input`, `store_access_denied`, and others of `storeError`
 * @throws Interrupted
 */
export async function openObject(
  object: ObjectReader,
  stallMs: number,
  stop?: AbortSignal,
): Promise<StoredInput> {
  const { name } = object;
  const refuse = (error: unknown): never => {
    throw storeError(name, 'read', error);
  };
  const head = (await object.head(stop).catch(refuse)) ?? refuse(new StoreError('missing', ''));
  const { size, modified, version, isWeak } = head;
  const isPinned = version !== '' && !isWeak;
  return {
    name,
    path: name,
    version: { size, modified: modified.getTime(), ...(isPinned && { etag: version }) },
    stream: new ObjectStream(object, head, { from: 0 }, stallMs),
    streamFrom: (offset, end) => new ObjectStream(object, head, { from: offset, end }, stallMs),
    async checkUnchanged() {
      const now = await object.head(stop).catch(refuse);
      if (now === undefined || !isSame(head, now)) throw inputChanged(name, [size, now?.size ?? 0]);
    },
  };
}

/** Without a version that stands for the bytes, length and time must do. */
const isSame = (a: ObjectHead, b: ObjectHead): boolean =>
  a.size === b.size &&
  a.version === b.version &&
  (a.version !== '' || a.modified.getTime() === b.modified.getTime());

interface Range {
  from: number;
  /** By default the end of the object. */
  end?: number | undefined;
}

/**
 * The bytes of an object from an offset. A response that breaks, stalls or ends too early is requested again from where it
 * broke: a body that is cut off between two chunks is an error to no client.
 */
class ObjectStream implements ByteStream {
  readonly #object: ObjectReader;
  readonly #head: ObjectHead;
  readonly #from: number;
  readonly #end: number;
  readonly #stallMs: number;
  /** Aborted when nobody wants its bytes any more, which ends whatever it waits for. */
  readonly #destroyed = new AbortController();
  #body: ByteStream | undefined;

  constructor(object: ObjectReader, head: ObjectHead, range: Range, stallMs: number) {
    const { from, end = head.size } = range;
    this.#object = object;
    this.#head = head;
    this.#from = from;
    this.#end = end;
    this.#stallMs = stallMs;
  }

  destroy(): void {
    this.#destroyed.abort();
    this.#body?.destroy();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer> {
    const { name } = this.#object;
    const { version, isWeak } = this.#head;
    const { signal } = this.#destroyed;
    const patience = this.#object.patience(signal);
    const end = this.#end;
    let at = this.#from;
    while (at < end && !signal.aborted)
      try {
        const pinned = version === '' || isWeak ? undefined : version;
        const body = await this.#object.read({ from: at, end, version: pinned }, signal);
        this.#body = body;
        if (signal.aborted) body.destroy();
        for await (const chunk of withoutStalls(body, this.#stallMs, signal)) {
          at += chunk.length;
          if (at > end) throw new StoreError('refused', 'the response has more bytes than were requested');
          patience.succeeded();
          yield chunk;
        }
        if (at < end) throw new StoreError('unavailable', 'the response ended too early');
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof StoreError && (error.failure === 'changed' || error.failure === 'missing'))
          throw await this.#changed();
        await patience.failed(error).catch(cause => {
          if (!signal.aborted) throw storeError(name, 'read', cause);
        });
      } finally {
        this.#body?.destroy();
      }
  }

  async #changed(): Promise<Error> {
    const now = await this.#object.head(this.#destroyed.signal).catch(() => undefined); // that it has changed is known
    return inputChanged(this.#object.name, [this.#head.size, now?.size ?? 0]);
  }
}

/** Ends a body from which nothing arrives for some time, with an error. While nobody asks for bytes, none need to arrive. */
async function* withoutStalls(body: ByteStream, stallMs: number, stop: AbortSignal): AsyncGenerator<Buffer> {
  let isStalled = false;
  const chunks = body[Symbol.asyncIterator]();
  const next = async (): Promise<IteratorResult<Buffer>> => {
    const timer = setTimeout(() => {
      isStalled = true;
      body.destroy();
    }, stallMs);
    try {
      return await unlessStopped(chunks.next(), stop);
    } catch (error) {
      throw broken(isStalled, stallMs, error);
    } finally {
      clearTimeout(timer);
    }
  };
  for (let read = await next(); !read.done; read = await next()) yield read.value;
  if (isStalled) throw broken(true, stallMs);
}

const broken = (isStalled: boolean, stallMs: number, cause?: unknown): StoreError =>
  new StoreError(
    'unavailable',
    isStalled ? `no bytes arrived for ${stallMs / 1000} s` : `the response broke off: ${reason(cause)}`,
    cause,
  );

const reason = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause));
