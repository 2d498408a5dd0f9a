import { RowcastError } from '../base/errors.ts';
import type { Tail } from './digests.ts';
import type { AppendedFile, Json } from './partial-file.ts';

/** The bytes of an output up to a point, as a checkpoint records them. */
export interface StoredExtent {
  /** Number of bytes; what was written after them is given up on resume. */
  bytes: number;
  /** SHA-256 of the end of those bytes (see `Tail`), hex; empty if the storage recognizes its bytes by `state`. */
  tail: string;
  /** What the storage itself needs to go on there, such as the parts of an upload. */
  state?: Json;
  /** The end of those bytes, as far as the storage cannot keep it itself until the output is complete. */
  carried?: Buffer;
  /** What its end needs of each group of rows before that, if it has groups. */
  notes?: readonly string[];
}

/** Keeps other processes from writing to the same output until it is released. */
export interface OutputLock {
  /** Whether a dead process had held it or was taking it, so that what it left behind may be removed. */
  readonly tookOver: boolean;
  release(): Promise<void>;
}

/** The small record next to an output that says how far its run is. Its bytes mean nothing to the storage. */
export interface CheckpointPlace {
  /** For messages. */
  readonly name: string;
  read(): Promise<Buffer | undefined>;
  /**
   * Replaces it atomically: a reader sees the old one or the new one.
   *
   * @throws RowcastError `locked` if another process has taken over the output, and the storage can tell
   */
  replace(bytes: Buffer): Promise<void>;
  /** Removes it durably, so that it cannot reappear. */
  remove(): Promise<void>;
  /**
   * Keeps it in what is `aside`, durably, because a run of different work begins; removes it if there is no such place.
   */
  setAside(): Promise<void>;
}

/** What is at an output, as far as it can be seen without its lock. */
export interface OutputState {
  checkpoint: { bytes: Buffer; modified: Date } | undefined;
  /** The process that holds the lock, as far as it is known; undefined if it is free. */
  holder: { pid: number | undefined; host?: string | undefined } | undefined;
  /** Number of bytes of an unfinished output, if there is one. */
  partialBytes: number | undefined;
  /** The complete output. While there is a checkpoint, it comes from an earlier run. */
  finished: { bytes: number; modified: Date } | undefined;
}

/**
 * An output that survives the process that writes it. Its bytes go where no reader sees them; a checkpoint says how
 * many of them are durable, and the next process goes on there. It appears complete or not at all.
 *
 * A run has a second one for its rejects. Both are covered by the checkpoint of the first one. Rejects next to their
 * output need no lock of their own.
 */
export interface DurableOutput {
  /** The name of the output as given, for messages. */
  readonly name: string;
  /** What tells it from other outputs: a path with links followed, or a URL. */
  readonly address: string;
  /** Where its bytes are until it is complete, for messages. */
  readonly partialName: string;
  /** What `settle` makes durable. Outputs with the same value need it only once. */
  readonly folder: string;
  /** Seconds between two checkpoints, unless the user says otherwise. */
  readonly defaultInterval: number;
  readonly checkpoint: CheckpointPlace;
  /** What was set aside, and its checkpoint; undefined where nothing can be kept under another name. */
  readonly aside?: DurableOutput;
  /**
   * The output next to it whose name has a suffix.
   *
   * @param room bytes to leave in its name for a further suffix
   */
  beside(suffix: string, room?: number): DurableOutput;
  /** The output with another address in the same storage. */
  at(address: string): DurableOutput;
  /** @throws RowcastError `locked`, `unwritable_output` */
  lock(): Promise<OutputLock>;
  /** @throws RowcastError `unreadable_output` */
  state(): Promise<OutputState>;
  /** Whether a complete one is there. */
  exists(): Promise<boolean>;
  /** How the complete one begins, up to a number of bytes; undefined if it cannot be read. */
  readStart(bytes: number): Promise<Buffer | undefined>;
  /** SHA-256 of the complete one, hex. */
  sha256(): Promise<string>;
  /**
   * Checks that the storage still has the bytes of an extent, and that their end is unchanged, as far as it can tell.
   *
   * @returns their tail, if its digest is recorded
   * @throws RowcastError `partial_too_short`, `partial_damaged`
   */
  verify(extent: StoredExtent): Promise<Tail>;
  /**
   * Checks that nothing else was written, before or after `publish`.
   *
   * @throws RowcastError `output_lost`, `partial_damaged`
   */
  verifyWhole(extent: StoredExtent): Promise<void>;
  /**
   * Opens it for appending; what follows the extent is given up.
   *
   * @param inputBytes size of the input of which it is made, if that is known
   * @throws RowcastError `unwritable_output`; what the storage throws
   */
  open(extent: StoredExtent, inputBytes?: number): Promise<AppendedFile>;
  /** Whether the complete one is the one that was written. */
  isPublished(extent: StoredExtent): Promise<boolean>;
  /**
   * The bytes of the complete one.
   *
   * @param from the offset of the first one
   * @throws RowcastError `part_lost` if it is not the one that was written
   */
  chunks(extent: StoredExtent, from?: number): AsyncIterable<Buffer>;
  /**
   * Makes complete outputs, one after the other, the complete one, without reading them. Until then, nothing changes.
   *
   * @param parts their addresses and sizes in bytes
   * @param onBytes called with the bytes so far
   * @returns false if the storage cannot do this with these parts
   */
  concatenate?(
    parts: readonly { address: string; bytes: number }[],
    onBytes?: (bytes: number) => void,
  ): Promise<boolean>;
  /** Makes names of new files, and those of published ones, durable. */
  settle(): Promise<void>;
  /**
   * Makes the extent the complete output. A complete checkpoint has recorded it, so a process may be killed anywhere in
   * it: the next one calls it again, and it does what is left to do.
   */
  publish(extent: StoredExtent): Promise<void>;
  /** Removes the complete output. Undefined where that is not possible: there, an earlier one is replaced instead. */
  remove?(): Promise<void>;
  /**
   * Gives up what was not published. Its lock, or that of the output whose checkpoint covers it, is held.
   *
   * @param extent what a checkpoint has recorded; without it, what this process has written, or if that is nothing, all
   *   that is here
   */
  discard(extent?: StoredExtent): Promise<void>;
  /**
   * Gives up what a former run of an output has written here, unless another run may be writing here by now.
   *
   * @param address of the output of that run
   */
  discardFormer(extent: StoredExtent, address: string): Promise<void>;
  /**
   * Keeps what was written and not published in what is `aside`, and gives it up if there is no such place.
   *
   * @param mayReplace whether what is kept there may be replaced
   * @throws RowcastError `foreign_file`
   */
  setAside(extent: StoredExtent, mayReplace: boolean): Promise<void>;
}

/** The extent of an output to which nothing was written. */
export const NOTHING_WRITTEN: StoredExtent = { bytes: 0, tail: '' };

/** The error of a complete output that is to be joined with others. */
export const partLost = (file: string): RowcastError =>
  new RowcastError('part_lost', 'the part was removed, cut or overwritten while it was being joined', {
    severity: 'stopped',
    location: { file },
    hint: 'Run rowcast assemble again: it names what must be scored again.',
  });

/** The error of a process that comes back late: its output now belongs to the process that has taken over the lock. */
export const takenOver = (file: string): RowcastError =>
  new RowcastError('locked', 'another process has taken over this output', {
    severity: 'temporary',
    location: { file },
    hint: 'This process has not changed it. Let the other one finish.',
  });
