import { Tail } from './digests.ts';

/** What plain JSON can express. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };

/** What a checkpoint must record in addition to a number of bytes, if the storage asks for it. */
export interface StoredPoint {
  /** The bytes before the point that the storage cannot keep itself until the output is complete. */
  readonly carried: Buffer;
  /** What the storage needs to go on there; known once everything up to the point is synced. */
  state(): Json;
}

/** What bytes of an output are appended to. */
export interface AppendedFile {
  /** @param bytes may be reused once they were appended */
  append(bytes: Uint8Array): Promise<void>;
  /** Makes what was appended durable, except for what a checkpoint carries. */
  sync(): Promise<void>;
  close(): Promise<void>;
  /**
   * Describes the point after the last byte; it must cost little. A storage that needs no more than a number has none.
   * Of an output, the bytes that a point carries stay as they are until the next point, and until a save that has begun
   * is done.
   */
  readonly point?: () => StoredPoint;
}

/** A point at which a partial file can be truncated. */
export interface Extent<Mark> {
  /** Size of the file up to this point. */
  readonly bytes: number;
  /** Uncompressed size up to this point. */
  readonly uncompressed: number;
  /** The last bytes before this point. */
  readonly tail: Tail;
  /** The writer's description of this point; undefined at the start of the file. */
  readonly mark: Mark | undefined;
  /** What the storage needs to go on at this point, if it asks for it. */
  readonly stored?: StoredPoint | undefined;
  /** What the end of the file needs of each group of rows before this point, if the file has groups. */
  readonly notes?: readonly string[] | undefined;
  /**
   * The text after these bytes and before this point, of a member or group that is not complete yet and so not in the
   * file.
   */
  readonly open?: Buffer | undefined;
}

/** The start of a new file. */
export const fileStart: Extent<never> = { bytes: 0, uncompressed: 0, tail: Tail.empty, mark: undefined };

export interface AppendedBytes<Mark> {
  /** May be reused once `append` has returned. */
  bytes: Buffer;
  /** Whether a gzip member or zstd frame ends after `bytes`. */
  endsMember: boolean;
  /**
   * Describes the point after `bytes`, if the file may be truncated there; called at most once, before `append`
   * returns.
   */
  mark: (() => Mark) | undefined;
  /** Whether the file ends here. */
  endsFile?: boolean;
}

/** A file that is written sequentially, and can be truncated and continued at any point with a mark. */
export interface PartialFile<Mark> {
  /** The last marked point up to which everything is written. */
  readonly committed: Extent<Mark>;
  /**
   * The last marked point, which may be within a member: it has the text of that one, which stays as it is.
   *
   * @param maxOpenBytes of that text; if there is more, the point is the last one before the member
   */
  latest(maxOpenBytes?: number): Extent<Mark>;
  append(appended: AppendedBytes<Mark>): Promise<void>;
  /** Waits until everything up to the last mark is written. */
  flush(): Promise<void>;
  /** Makes what was written durable. */
  sync(): Promise<void>;
  close(): Promise<void>;
}
