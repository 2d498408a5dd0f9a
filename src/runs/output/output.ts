import { createHash } from 'node:crypto';
import type { PredictionType } from '../../base/contract/predictions.ts';
import type { GroupEncoder, TextEntry } from '../../base/text-of-file.ts';
import type { Position } from '../../formats/records/position.ts';
import type { RunTally } from '../../scoring/counting/run-tally.ts';
import type { MergedPiece } from '../../scoring/merge/merged-piece.ts';
import type { RowCounts } from '../../scoring/row-counts.ts';
import { groupedPartial } from '../../storage/codecs/grouped-partial.ts';
import { type AppendedFile, fileStart } from '../../storage/partial-file.ts';
import type { Sink } from '../../storage/target.ts';
import type { Attempt } from '../attempt.ts';
import type { Checkpoint, Fingerprint, ResumeMethod } from '../checkpoint/checkpoint.ts';
import type { PrefixState } from '../checkpoint/prefix-digest.ts';

/** What identifies a run, and what every rejects file of it starts with. */
export interface RunIdentity {
  /** Identifies this process, if the run is not resumed. */
  attempt: Attempt;
  fingerprint: Fingerprint;
  /** The header of the rejects file. A file given with --rejects is written even if nothing is rejected. */
  rejectsHeader: Buffer;
  /** Makes groups of the rows, if the output is not text. */
  encoder?: GroupEncoder | undefined;
}

/** An unfinished run of the same identity. */
export interface PreviousRun {
  checkpoint: Checkpoint;
  method: ResumeMethod;
}

/** The state of a run at a point between two records. */
export interface CommitPoint {
  position: Position;
  prefix: PrefixState;
  /** Where reading begins that goes on there, if the input is not text. */
  entry?: TextEntry | undefined;
  predictionType: PredictionType | undefined;
  rowCounts: RowCounts;
  /** What was counted in the data, if anything is. */
  tally?: RunTally | undefined;
}

/** The bytes of an output and its rejects, as far as they are written. */
export type WrittenExtents = Pick<Checkpoint, 'output' | 'rejects'>;

/** A piece of the output. */
export interface OutputPiece extends Pick<MergedPiece, 'bytes' | 'endsMember' | 'isCommitPoint'> {
  /** Bytes to append to the rejects file. */
  rejects: Buffer;
}

/** Where an interrupted run will resume. */
export interface ResumePoint {
  /** The first row that it will score. */
  row: number;
  /** Totals as of its checkpoint. */
  rowCounts: RowCounts;
}

/** An output that this process may write to as long as it holds the lock. */
export interface AcquiredOutput {
  /** Opens it for writing, or for resuming an unfinished run. */
  open(beginning: RunIdentity): Promise<Output>;
}

/** The destination of a run's rows. */
export interface Output {
  /** Identifies this process and its run. */
  readonly attempt: Attempt;
  /** The unfinished run to resume, if any; bytes written after its checkpoint were truncated. */
  readonly previous: PreviousRun | undefined;
  /** Where the current checkpoint would resume, if there is one. */
  readonly resumePoint: ResumePoint | undefined;
  /**
   * @param after returns the commit point after the piece
   * @throws RowcastError `unwritable_output`; ClosedPipe if the reader closed its end
   */
  write(piece: OutputPiece, after: () => CommitPoint): Promise<void>;
  /** Saves a checkpoint now, instead of when the next one is due; an output without checkpoints does nothing. */
  save(): Promise<void>;
  /**
   * Publishes the complete output: OUTPUT becomes visible now and not earlier.
   *
   * @param end the end of the input
   * @returns what it consists of, as it was written; undefined if its bytes went straight to their destination
   * @throws RowcastError `unwritable_output`; `output_lost`, `partial_damaged` if another program modified it
   */
  finish(end: CommitPoint): Promise<WrittenExtents | undefined>;
  /** SHA-256 of the finished output, hex; requires the `checksum` option. */
  sha256(): Promise<string>;
  /**
   * Stops the run and saves a checkpoint, so that the same command resumes; after a failed sync the previous one
   * remains.
   *
   * @param stopped why, if the same command would stop again
   * @returns undefined if the same command would start over
   */
  suspend(stopped?: Checkpoint['stopped']): Promise<ResumePoint | undefined>;
  /** Stops the run and deletes what was written, because it must not be used. */
  discard(): Promise<void>;
}

/**
 * A non-resumable output: stdout, a FIFO or a device.
 *
 * @param openRejects opens the rejects file on the first reject; undefined if rejects are not written
 */
export function acquireSink(
  openOutput: () => Promise<Sink>,
  openRejects: (() => Promise<Sink>) | undefined,
  checksum: boolean,
): AcquiredOutput {
  const hash = createHash('sha256');
  return {
    async open({ attempt, rejectsHeader, encoder }) {
      const sink = await openOutput();
      const write = async (bytes: Uint8Array): Promise<void> => {
        const own = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
        if (checksum) hash.update(own);
        await sink.write(own);
      };
      const grouped = encoder && groupedPartial(unsynced(write), fileStart, encoder);
      let rejectsSink: Sink | undefined;
      return {
        attempt,
        previous: undefined,
        resumePoint: undefined,
        async write({ bytes, rejects, endsMember }) {
          await (grouped?.append({ bytes, endsMember, mark: undefined }) ?? write(bytes));
          if (rejects.length === 0) return;
          rejectsSink ??= await openRejects?.();
          await rejectsSink?.write(rejects);
        },
        async save() {},
        async finish() {
          // The output last: when it has ended, all is there.
          if (rejectsSink === undefined) {
            rejectsSink = await openRejects?.();
            await rejectsSink?.write(rejectsHeader);
          }
          await grouped?.append({ bytes: NOTHING, endsMember: true, mark: undefined, endsFile: true });
          await rejectsSink?.close();
          await sink.close();
          return undefined;
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

const NOTHING = Buffer.alloc(0);

const unsynced = (append: AppendedFile['append']): AppendedFile => ({
  append,
  async sync() {},
  async close() {},
});
