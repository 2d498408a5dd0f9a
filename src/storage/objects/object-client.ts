import type { ByteStream } from '../source.ts';

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

/** Requests about one object: each method makes one, and does not repeat it. Every failure is a `StoreError`. */
export interface ObjectClient {
  /** The URL of the object. */
  readonly name: string;
  /** @returns undefined if it does not exist */
  head(): Promise<ObjectHead | undefined>;
  /**
   * Requests bytes. The stream may break, end too early or never end.
   *
   * @throws StoreError `changed` if it has another version, `missing`
   */
  read(range: ObjectRange): Promise<ByteStream>;
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
  object(name: string): ObjectClient;
  /**
   * The URLs of the objects that begin with a prefix; undefined if the store cannot list them.
   *
   * @throws StoreError, while it is iterated
   */
  readonly list?: ((prefix: string) => AsyncIterable<string>) | undefined;
  /** Whether objects can be written. */
  readonly isWritable: boolean;
  /** Forgets credentials, so that the next request asks for them again. */
  renew(): void;
}
