import { RowcastError } from '../../base/errors.ts';
import { counted } from '../../base/number-text.ts';
import type { ByteStream } from '../source.ts';
import type { NewPatience } from './patience.ts';
import { StoreError } from './store-error.ts';

/** What a store says about an object. */
export interface ObjectHead {
  /** Changes with the object: its ETag, or its generation. Empty if the store gives none. */
  version: string;
  /** Whether the version stands for the same content, perhaps in other bytes (a weak ETag, RFC 9110, 8.8.1). */
  isWeak: boolean;
  /** In bytes. */
  size: number;
  modified: Date;
  /** The time by the store's clock, in milliseconds since 1970. */
  now: number;
  /** The token that its upload was begun with, if any. */
  token: string | undefined;
}

/**
 * The head of an object from what a response says. The clock of this machine stands in for that of a store whose
 * responses have no date.
 *
 * @throws StoreError `refused` without a size: zero would make it an empty file
 */
export function objectHead(said: {
  etag: string | undefined;
  size: number | undefined;
  modified: Date | undefined;
  date: string | Date | undefined;
  token: string | undefined;
}): ObjectHead {
  const { etag = '', size, modified = new Date(0), date = '', token } = said;
  if (size === undefined) throw new StoreError('refused', 'the store does not tell the size of the object');
  const now = new Date(date).getTime();
  return {
    version: versionOfEtag(etag),
    isWeak: etag.startsWith('W/'),
    size,
    modified,
    now: Number.isNaN(now) ? Date.now() : now,
    token,
  };
}

export const versionOfEtag = (etag = ''): string => etag.replace(/^(W\/)?"(.*)"$/, '$2');

/** A part of an upload as a store lists it. */
export interface ListedPart {
  /** From 1. */
  number: number;
  tag: string;
  bytes: number;
}

/** A range of bytes, pinned to a version of an object. */
export interface ObjectRange {
  from: number;
  /** The byte after the last one. */
  end: number;
  /** Undefined if any version will do. */
  version?: string | undefined;
}

/** Bytes of another object. */
export interface CopiedRange {
  /** Its URL. */
  name: string;
  from: number;
  /** The byte after the last one. */
  end: number;
  /** Whether these are all of its bytes. */
  isWhole: boolean;
}

/** Requests that read one object, made again while the store is unavailable. Every failure is a `StoreError`. */
export interface ReadableObject {
  /** The URL of the object. */
  readonly name: string;
  /** For something longer than one request. */
  readonly patience: NewPatience;
  /** @returns undefined if it does not exist. @param stop ends the waiting */
  head(stop?: AbortSignal): Promise<ObjectHead | undefined>;
  /**
   * Requests bytes. The stream may break, end too early or never end.
   *
   * @param stop ends the waiting
   * @throws StoreError `changed` if it has another version, `missing`
   */
  read(range: ObjectRange, stop?: AbortSignal): Promise<ByteStream>;
}

/**
 * All requests about one object. The response to a conditional write may have been lost: then the next one fails with
 * `changed`, although the object is as it was to be.
 */
export interface WritableObject extends ReadableObject {
  /** The whole object, which is small; undefined if it does not exist. */
  get(): Promise<{ head: ObjectHead; bytes: Buffer } | undefined>;
  /**
   * Writes the whole object.
   *
   * @param replaces the version that it replaces; null if there must be none, undefined if any may be there
   * @returns its version
   * @throws StoreError `changed` if another version is there
   */
  put(bytes: Buffer, replaces?: string | null): Promise<string>;
  /** @param version the only one to remove, where the store can tell */
  remove(version?: string): Promise<void>;
  /**
   * Begins an upload in parts.
   *
   * @param token kept with the object, so that it can be recognized; see `ObjectHead`
   */
  beginUpload(token: string): Promise<string>;
  /** The uploads to this object that were neither completed nor given up. */
  uploads(): Promise<string[]>;
  /**
   * Uploads a part; one with the same number is replaced.
   *
   * @param number from 1
   * @returns the tag by which the store identifies the part
   * @throws StoreError `missing` if the upload is gone
   */
  putPart(upload: string, number: number, bytes: Buffer): Promise<string>;
  /**
   * Makes bytes of another object of the same store a part, without reading them.
   *
   * @param number from 1
   * @returns the tag by which the store identifies the part
   * @throws StoreError `missing` if the upload or the other object is gone
   */
  readonly copyPart?: ((upload: string, number: number, from: CopiedRange) => Promise<string>) | undefined;
  /** @throws StoreError `missing` if the upload is gone */
  parts(upload: string): Promise<ListedPart[]>;
  /**
   * Makes the parts with these tags the object.
   *
   * @throws StoreError `missing` if the upload is gone
   */
  complete(upload: string, tags: readonly string[], token: string): Promise<void>;
  /** Gives up an upload; one that is gone is no error. */
  abort(upload: string): Promise<void>;
}

/** A store of objects. */
export interface ObjectStore {
  /** @param name the URL of an object */
  input(name: string, patience: NewPatience): ReadableObject;
  /** Undefined if objects can only be read. */
  readonly object?: ((name: string, patience: NewPatience) => WritableObject) | undefined;
  /**
   * The URLs of the objects that begin with a prefix; undefined if the store cannot list them.
   *
   * @throws StoreError, while it is iterated
   */
  readonly list?: ((prefix: string) => AsyncIterable<string>) | undefined;
  /** Forgets credentials, so that the next request asks for them again. */
  renew(): void;
}

/** 10,000 pages of a usual size. */
const MAX_ENTRIES = 10_000_000;
/** Consecutive pages without an entry. A store may skip a thousand removed objects with each. */
const MAX_EMPTY_PAGES = 1_000;
/** What the names that are kept may take, of a million of usual length. */
const MAX_KEPT_BYTES = 256 << 20;
/** About the memory of a name besides its bytes. */
const NAME_BYTES = 100;

/** Ends a listing that does not end by itself: its pages, and how many there are, are the store's choice. */
export class ListingLimit {
  #entries = 0;
  #emptyPages = 0;
  #keptBytes = 0;

  /**
   * Call this for each page.
   *
   * @throws StoreError `refused`
   */
  page(entries: number): void {
    this.#entries += entries;
    this.#emptyPages = entries === 0 ? this.#emptyPages + 1 : 0;
    if (this.#entries > MAX_ENTRIES) throw endless(`has more than ${counted(MAX_ENTRIES)} entries`);
    if (this.#emptyPages > MAX_EMPTY_PAGES)
      throw endless(`does not go on after ${counted(MAX_EMPTY_PAGES)} empty pages`);
  }

  /**
   * Call this for each name that is kept in memory.
   *
   * @param bytes of the name
   * @throws StoreError `refused`
   */
  keep(bytes: number): void {
    this.#keptBytes += bytes + NAME_BYTES;
    if (this.#keptBytes > MAX_KEPT_BYTES)
      throw endless(`has names that take more than ${counted(MAX_KEPT_BYTES)} bytes`);
  }
}

const endless = (what: string): StoreError =>
  new StoreError('refused', `the store's listing ${what}; name fewer objects, with a longer prefix`);

/** The parts of the name of an object. A key is literal: nothing in it is decoded. */
export interface ObjectName {
  /** Everything before the key: `s3://bucket/`. */
  start: string;
  /** A bucket or container. */
  bucket: string;
  key: string;
}

/**
 * Takes a name such as `s3://bucket/key` apart. Buckets have no user and no port; keys may contain anything, also `?`
 * and `#`.
 *
 * @throws RowcastError `usage`
 */
export function parseObjectName(name: string): ObjectName {
  const found = parseObjectPrefix(name);
  if (found.key !== '') return found;
  throw notAnObject(name, 'Give a bucket and a key, such as s3://bucket/folder/file.csv.');
}

/** Takes the beginning of a name apart, which may end before the key. @throws RowcastError `usage` */
export function parseObjectPrefix(prefix: string): ObjectName {
  const [, start = '', bucket = '', key = ''] =
    /^([a-z][a-z0-9+.-]*:\/\/([^/]*)\/?)(.*)$/is.exec(prefix) ?? [];
  if (bucket !== '' && !/[\s@:?#]/.test(bucket)) return { start, bucket, key };
  throw notAnObject(prefix, 'Give a bucket without user or port.');
}

export const notAnObject = (name: string, hint: string): RowcastError =>
  new RowcastError('usage', `${name}: not the URL of an object`, { hint });
