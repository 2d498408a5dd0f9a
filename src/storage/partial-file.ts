import { Tail } from './tail-digest.ts';

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
}

/** The start of a new file. */
export const fileStart: Extent<never> = { bytes: 0, uncompressed: 0, tail: Tail.empty, mark: undefined };

export interface Appended<Mark> {
  /** May be reused once `append` has returned. */
  bytes: Buffer;
  /** Whether a gzip member ends after `bytes`. */
  endsMember: boolean;
  /** Describes the point after `bytes`, if the file may be truncated there; called at most once, before `append` returns. */
  mark: (() => Mark) | undefined;
}

/** A file that is written sequentially, and can be truncated and continued at any point with a mark. */
export interface PartialFile<Mark> {
  /** The last marked point up to which everything is written. */
  readonly committed: Extent<Mark>;
  append(appended: Appended<Mark>): Promise<void>;
  /** Waits until everything up to the last mark is written. */
  flush(): Promise<void>;
  /** Makes what was written durable (fdatasync(2)). */
  sync(): Promise<void>;
  close(): Promise<void>;
}
