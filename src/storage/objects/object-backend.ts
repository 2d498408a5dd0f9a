import picomatch from 'picomatch';
import { schemeOf } from '../../base/scheme.ts';
import type { Backend, SharedDocument } from '../backend.ts';
import { compressedWriter } from '../codecs/codecs.ts';
import { refuseUnsupportedCompression } from '../codecs/refuse-unsupported-output.ts';
import { SPECIAL } from '../folders.ts';
import { thisProcess } from '../local/locks/lock-holder.ts';
import { type FolderLayout, isOfLayout, type SharedFolder } from '../shared-folder.ts';
import { type Sink, type Target, unwritable } from '../target.ts';
import { ListingLimit, type ObjectStore, type ReadableObject, type WritableObject } from './object-client.ts';
import { openObject } from './object-input.ts';
import { ObjectOutput, type ObjectOutputOptions } from './object-output.ts';
import { PartStream, partBytesFor } from './part-stream.ts';
import { type NewPatience, type OutageLimits, Patience, patiently } from './patience.ts';
import { type Purpose, storeError, unless } from './store-error.ts';

/** How objects are read and written, whatever the store. */
export interface ObjectSettings
  extends OutageLimits,
    Partial<Pick<ObjectOutputOptions, 'holder' | 'partBytes'>> {
  leaseMs?: number | undefined;
  stallMs?: number | undefined;
}

/** A claim of a process on another machine that was not renewed for this long may be taken over. */
const LEASE_MS = 60_000;

/** A response of which nothing arrives for this long is requested again. */
const STALL_MS = 30_000;

/**
 * The backend of a store.
 *
 * @param open loads what talks to the store; called for the first name
 */
export function objectBackend(open: () => Promise<ObjectStore>, given: ObjectSettings): Backend {
  const settings = { ...given, reached: new Set<string>() };
  let opened: Promise<ObjectStore> | undefined;
  const { leaseMs = LEASE_MS, stallMs = STALL_MS, holder = thisProcess(), partBytes } = settings;
  const storeOf = (): Promise<ObjectStore> => {
    opened ??= open();
    return opened;
  };
  const patienceOf =
    (store: ObjectStore, name: string): NewPatience =>
    stop =>
      new Patience(settings, name, () => store.renew(), stop);
  const inputAt = async (name: string): Promise<ReadableObject> => {
    const store = await storeOf();
    return store.input(name, patienceOf(store, name));
  };
  /** What makes the clients of objects that can be written. @param url any of them */
  const writable = async (url: string): Promise<(name: string) => WritableObject> => {
    const store = await storeOf();
    const { object } = store;
    if (object === undefined)
      throw unwritable(url, new Error(`objects of ${schemeOf(url)}:// can only be read`));
    return name => object(name, patienceOf(store, name));
  };
  const objectAt = async (name: string): Promise<WritableObject> => (await writable(name))(name);
  /** The names that begin with a prefix, sorted by their bytes. */
  const listed = async (
    prefix: string,
    matches = (_: string): boolean => true,
    stop?: AbortSignal,
  ): Promise<string[]> => {
    const store = await storeOf();
    const found = await patiently(patienceOf(store, prefix)(stop), async () => {
      const names: Buffer[] = [];
      const limit = new ListingLimit();
      for await (const name of store.list?.(prefix) ?? []) {
        if (stop?.aborted) break;
        if (!matches(name)) continue;
        const kept = Buffer.from(name);
        limit.keep(kept.length);
        names.push(kept);
      }
      return names;
    }).catch(error => {
      throw storeError(prefix, 'read', error);
    });
    return found.sort(Buffer.compare).map(String);
  };
  return {
    async openInput(name, stop) {
      return openObject(await inputAt(name), stallMs, stop);
    },
    async versionOf(name, stop) {
      const head = await (await inputAt(name)).head(stop).catch(() => undefined); // reading it says why
      return head && { size: head.size, modified: head.modified.getTime(), etag: head.version };
    },
    async isPattern(name, stop) {
      if (!SPECIAL.test(name) || (await storeOf()).list === undefined) return false;
      const head = await (await inputAt(name)).head(stop).catch(error => {
        throw storeError(name, 'read', error);
      });
      return head === undefined;
    },
    namesMatching: async (pattern, stop) => listed(prefixOf(pattern), objectPattern(pattern), stop),
    document: name => objectDocument(() => objectAt(name)),
    sharedFolder: (path, layout) => objectFolder(path, layout, { object: objectAt, list: listed }),
    async resolveTarget(name) {
      const object = await writable(name);
      refuseUnsupportedCompression(name);
      return objectTarget(name, { object, holder, partBytes, leaseMs, stallMs });
    },
  };
}

const objectTarget = (name: string, options: ObjectOutputOptions): Target => ({
  name,
  path: undefined,
  durable: new ObjectOutput(name, options),
  isStdout: false,
  usedFiles: (what, option) => [{ at: name, what, option }],
  open: async () => objectSink(name, options),
});

/** An object that is written once, by a process that nobody resumes. It appears when it is closed. */
function objectSink(name: string, { object, partBytes }: ObjectOutputOptions): Sink {
  const client = object(name);
  const file = new PartStream(client, { partBytes: partBytes ?? partBytesFor(undefined) });
  const writer = compressedWriter(name, file);
  return {
    write: bytes => writer.write(bytes),
    async close() {
      await writer.finish();
      await writer.close();
      await file.publish().catch(error => {
        throw storeError(name, 'write', error);
      });
    },
    async abandon() {
      await writer.close().catch(() => {}); // the failure that led here is reported already
      if (file.upload !== undefined) await client.abort(file.upload).catch(() => {});
    },
  };
}

/** The part of a pattern before its first special character: all its objects begin with it. */
export const prefixOf = (pattern: string): string => pattern.slice(0, pattern.search(SPECIAL));

/**
 * A test of the URLs of objects. `*` stops at a slash, `**` does not; there are no hidden files in a store. What stands
 * before the first special character is literal.
 */
export function objectPattern(pattern: string): (url: string) => boolean {
  const prefix = prefixOf(pattern);
  // Whole folders are matched, so a pattern that begins in the middle of a name is completed by the part before it.
  const slash = prefix.lastIndexOf('/') + 1;
  const literal = prefix.slice(slash).replace(/[\\()!+@^$|.{}[\]*?]/g, '\\$&');
  const matches = picomatch(literal + pattern.slice(prefix.length), {
    dot: true,
    nonegate: true,
    noextglob: true,
    strictSlashes: true,
  });
  return url => url.startsWith(prefix) && matches(url.slice(slash));
}

/** How the objects of a folder are reached. */
interface FolderObjects {
  /** The object with a URL. */
  object(name: string): Promise<WritableObject>;
  /** The URLs of the objects whose URL begins with a prefix, in order. */
  list(prefix: string): Promise<string[]>;
}

/**
 * A folder of objects. It is there as long as its marker is: what is written after the marker was removed is removed
 * again, and what is written before is seen by the process that removes the folder.
 */
function objectFolder(path: string, layout: FolderLayout, { object, list }: FolderObjects): SharedFolder {
  const { marker } = layout;
  const nameOf = (name: string): string => `${path}/${name}`;
  const at = async <T>(name: string, purpose: Purpose, use: (client: WritableObject) => Promise<T>) =>
    object(nameOf(name))
      .then(use)
      .catch(error => {
        throw storeError(nameOf(name), purpose, error);
      });
  const remove = (name: string): Promise<void> =>
    at(name, 'write', client => client.remove().catch(unless('missing')));
  const written = async (name: string): Promise<void> => {
    if ((await at(marker, 'read', client => client.head())) !== undefined) return;
    await remove(name);
    throw Object.assign(new Error(`the folder ${path} is gone`), { code: 'ENOENT' });
  };
  const removeAllBut = async (last: string): Promise<void> => {
    for (const url of await list(nameOf(''))) {
      const name = url.slice(nameOf('').length);
      if (name === last || !isOfLayout(layout, name)) continue;
      await endUploads(url, object);
      await remove(name);
    }
  };
  return {
    path,
    async prepare() {},
    async create(name, text) {
      const bytes = Buffer.from(text);
      const version = await at(name, 'write', client => client.put(bytes, null).catch(unless('changed')));
      if (version === undefined) {
        // The request may have been made again because the response to the first one was lost.
        const found = await at(name, 'read', client => client.get());
        return found?.bytes.equals(bytes) === true;
      }
      if (name !== marker) await written(name);
      return true;
    },
    async replace(name, text) {
      await at(name, 'write', client => client.put(Buffer.from(text)));
      if (name !== marker) await written(name);
    },
    read: async name => (await at(name, 'read', client => client.get()))?.bytes.toString(),
    modified: async name => (await at(name, 'read', client => client.head()))?.modified,
    async list(folder) {
      const prefix = nameOf(`${folder}/`);
      return (await list(prefix)).map(name => name.slice(prefix.length));
    },
    remove,
    async discard(last) {
      await removeAllBut(last);
      await remove(last);
      await removeAllBut(last);
    },
  };
}

/** Gives up the uploads that a checkpoint covers. */
async function endUploads(checkpoint: string, object: FolderObjects['object']): Promise<void> {
  const output = /^(.*)\.checkpoint$/.exec(checkpoint)?.[1];
  if (output === undefined) return;
  for (const name of [output, `${output}.rejects`]) {
    const client = await object(name);
    for (const upload of await client.uploads()) await client.abort(upload);
  }
}

/** An object that is replaced on condition that no other process has replaced it since it was read. */
const objectDocument = (open: () => Promise<WritableObject>): SharedDocument => ({
  read: async () => (await (await open()).get())?.bytes,
  async update(change) {
    const object = await open();
    try {
      for (;;) {
        const found = await object.get();
        const version = await object
          .put(change(found?.bytes), found?.head.version ?? null)
          .catch(unless('changed'));
        if (version !== undefined) return;
      }
    } catch (error) {
      throw storeError(object.name, 'write', error);
    }
  },
});
