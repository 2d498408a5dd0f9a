import { createHash } from 'node:crypto';
import type { Position } from '../../formats/csv/position.ts';
import type { Sink } from '../../storage/sink.ts';
import type { Accounts } from '../accounts.ts';
import type { Checkpoint, Fingerprint, ResumeMethod } from '../checkpoint/checkpoint.ts';
import type { PrefixState } from '../checkpoint/prefix-digest.ts';

/** What a run begins with. */
export interface RunIdentity {
  fingerprint: Fingerprint;
  /** The header of a rejects file: all that one has which was asked for where nothing is rejected. */
  rejectsHeader: Buffer;
}

/** Where a run was left. */
export interface PreviousRun {
  checkpoint: Checkpoint;
  method: ResumeMethod;
}

/** All that is known at a point between two records. */
export interface CommitPoint {
  position: Position;
  prefix: PrefixState;
  classes: readonly string[];
  accounts: Accounts;
}

/** A piece of the output. */
export interface Piece {
  /** Whole records. */
  bytes: Buffer;
  /** What the rejects file gets with them. */
  rejects: Buffer;
  /** Whether a gzip member ends with them. */
  endsMember: boolean;
  /** Whether a run may resume after them. */
  isCommitPoint: boolean;
}

/** What is kept of a run that stopped before its end. */
export interface ResumePoint {
  /** The row that it resumes with. */
  row: number;
  /** Those of its checkpoint. */
  accounts: Accounts;
}

/** An output that is ours for as long as its lock is held. */
export interface AcquiredOutput {
  /** Opens it for the run's rows. */
  open(beginning: RunIdentity): Promise<Output>;
}

/** Where a run's rows go. */
export interface Output {
  /** Where the run was left, if it was begun before; what was written beyond that was cut off. */
  readonly previous: PreviousRun | undefined;
  /** What its checkpoint keeps now, if it has one. */
  readonly resumePoint: ResumePoint | undefined;
  /**
   * @param after tells the point that is reached with the piece
   * @throws RowcastError `unwritable_output`; ClosedPipe when the reader has gone
   */
  write(piece: Piece, after: () => CommitPoint): Promise<void>;
  /**
   * All was written: now, and not before, OUTPUT may be seen.
   *
   * @param end the end of the input
   * @throws RowcastError `unwritable_output`
   */
  finish(end: CommitPoint): Promise<void>;
  /** SHA-256 of the finished output, hex; to be asked for when it was claimed. */
  sha256(): Promise<string>;
  /**
   * The run stops before its end: what was written is kept for the same command, unless a sync has failed.
   *
   * @returns undefined where it would begin anew
   */
  suspend(): Promise<ResumePoint | undefined>;
  /** The run stops, and what was written must not be used: the same command starts over. */
  discard(): Promise<void>;
}

/**
 * An output that cannot be gone on with: stdout, a FIFO, a device.
 *
 * @param openRejects opens the rejects file, when there is the first reject; undefined where none was asked for
 */
export function acquireSink(
  openOutput: () => Promise<Sink>,
  openRejects: (() => Promise<Sink>) | undefined,
  checksum: boolean,
): AcquiredOutput {
  const hash = createHash('sha256');
  return {
    async open({ rejectsHeader }) {
      const sink = await openOutput();
      let rejectsSink: Sink | undefined;
      return {
        previous: undefined,
        resumePoint: undefined,
        async write({ bytes, rejects }) {
          if (checksum) hash.update(bytes);
          await sink.write(bytes);
          if (rejects.length === 0) return;
          rejectsSink ??= await openRejects?.();
          await rejectsSink?.write(rejects);
        },
        async finish() {
          await sink.close();
          if (rejectsSink === undefined) {
            rejectsSink = await openRejects?.();
            await rejectsSink?.write(rejectsHeader);
          }
          await rejectsSink?.close();
        },
        sha256: async () => hash.digest('hex'),
        async suspend() {
          await sink.abandon();
          await rejectsSink?.abandon();
          return undefined;
        },
        async discard() {
          await sink.abandon();
          await rejectsSink?.abandon();
        },
      };
    },
  };
}
