import { unlessStopped } from '../../base/interrupted.ts';
import { type ByteStream, inputChanged, type StoredInput } from '../source.ts';
import type { ObjectHead, ReadableObject } from './object-client.ts';
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
  object: ReadableObject,
  stallMs: number,
  stop?: AbortSignal,
): Promise<StoredInput> {
  const { name } = object;
  const refuse = (error: unknown): never => {
    throw storeError(name, 'read', error);
  };
  const head = (await object.head(stop).catch(refuse)) ?? refuse(new StoreError('missing', ''));
  const { size, modified, version: etag } = head;
  return {
    name,
    path: name,
    version: { size, modified: modified.getTime(), ...(isPinned(head) && { etag }) },
    stream: objectStream(object, head, stallMs, 0),
    streamFrom: (offset, end) => objectStream(object, head, stallMs, offset, end),
    async checkUnchanged() {
      const now = await object.head(stop).catch(refuse);
      if (now === undefined || !isSame(head, now)) throw inputChanged(name, [size, now?.size ?? 0]);
    },
  };
}

/** Whether its version stands for its bytes. */
const isPinned = ({ version, isWeak }: ObjectHead): boolean => version !== '' && !isWeak;

/** Without a version that stands for the bytes, length and time must do. */
const isSame = (a: ObjectHead, b: ObjectHead): boolean =>
  a.size === b.size &&
  a.version === b.version &&
  (a.version !== '' || a.modified.getTime() === b.modified.getTime());

/**
 * The bytes of an object from an offset to another, or to its end. A response that breaks, stalls or ends too early is
 * requested again from where it broke: a body that is cut off between two chunks is an error to no client.
 */
function objectStream(
  object: ReadableObject,
  head: ObjectHead,
  stallMs: number,
  from: number,
  end = head.size,
): ByteStream {
  const version = isPinned(head) ? head.version : undefined;
  /** Aborted when nobody wants its bytes any more, which ends whatever it waits for. */
  const destroyed = new AbortController();
  const { signal } = destroyed;
  let body: ByteStream | undefined;
  async function* read(): AsyncGenerator<Buffer> {
    const patience = object.patience(signal);
    for (let at = from; at < end && !signal.aborted; )
      try {
        body = await object.read({ from: at, end, version }, signal);
        if (signal.aborted) body.destroy();
        for await (const chunk of withoutStalls(body, stallMs, signal)) {
          at += chunk.length;
          if (at > end) throw new StoreError('refused', 'the response has more bytes than were requested');
          patience.succeeded();
          yield chunk;
        }
        if (at < end) throw new StoreError('unavailable', 'the response ended too early');
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof StoreError && (error.failure === 'changed' || error.failure === 'missing')) {
          const now = await object.head(signal).catch(() => undefined); // that it has changed is known
          throw inputChanged(object.name, [head.size, now?.size ?? 0]);
        }
        await patience.failed(error).catch(cause => {
          if (!signal.aborted) throw storeError(object.name, 'read', cause);
        });
      } finally {
        body?.destroy();
      }
  }
  return {
    [Symbol.asyncIterator]: read,
    destroy() {
      destroyed.abort();
      body?.destroy();
    },
  };
}

/**
 * Ends a body from which nothing arrives for some time, with an error. While nobody asks for bytes, none need to
 * arrive.
 */
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
