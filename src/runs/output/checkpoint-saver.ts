import { RowcastError } from '../../base/errors.ts';
import type { RunValues } from '../../base/options/values/run-values.ts';
import type { DurableOutput, StoredExtent } from '../../storage/durable-output.ts';
import { type Extent, fileStart, type PartialFile } from '../../storage/partial-file.ts';
import { unwritable } from '../../storage/target.ts';
import type { Attempt } from '../attempt.ts';
import { type Checkpoint, type Fingerprint, FORMAT } from '../checkpoint/checkpoint.ts';
import { checkpointBytes } from '../checkpoint/checkpoint-bytes.ts';
import type { RunOutputs } from '../paths/run-files.ts';
import type { CommitPoint, WrittenExtents } from './output.ts';
import type { RejectsExtent, RejectsOutput } from './rejects-output.ts';

/**
 * The most text of an open member that is written again and again, so that a checkpoint costs nothing while members are
 * soon complete, and the open group of a slow service, which may have 100 MB, is kept often enough.
 */
const OPEN_BYTES_PER_SECOND = 4 << 20;
/** Without an interval, each write saves; what was written during a save waits for this time at most. */
const MIN_CLOCK_MS = 100;
/** The longest time of a timer: Node makes 1 ms of a longer one. */
const MAX_CLOCK_MS = 2 ** 31 - 1;

interface CheckpointSaverOptions extends Pick<RunValues, 'history' | 'checkpointInterval'> {
  outputs: RunOutputs;
  attempt: Attempt;
  fingerprint: Fingerprint;
  partial: PartialFile<Mark>;
  rejects: RejectsOutput;
  /** The checkpoint that is stored. */
  saved: Checkpoint | undefined;
}

/**
 * Saves checkpoints of an output: first what they cover is synced, then they replace the previous one.
 *
 * Linux reports a failed write-back to only one sync; the next one succeeds although bytes were lost. So after any
 * failed sync or rename no further checkpoint is written, and the previous one remains valid.
 */
export class CheckpointSaver {
  /** The checkpoint that is stored. */
  saved: Checkpoint | undefined;
  /** Whether the outputs were found to be without what that checkpoint covers, so that no run can resume from it. */
  isLost = false;
  readonly #options: CheckpointSaverOptions;
  #saving: Promise<void> | undefined;
  /** The failure after which no further checkpoint may be written. */
  #failure: RowcastError | undefined;
  #savedAt = performance.now();
  /** Saves what was written before a stall, after which no write asks for it. */
  #clock: NodeJS.Timeout | undefined;

  constructor(options: CheckpointSaverOptions) {
    this.#options = options;
    this.saved = options.saved;
  }

  /** @throws RowcastError of a failed save or rename */
  throwIfFailed(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** Waits for a save in the background; the next write begins such saves again. */
  async settled(): Promise<void> {
    clearInterval(this.#clock);
    this.#clock = undefined;
    await this.#saving;
  }

  /**
   * Saves in the background, now and when nothing is written for a while; a failure is thrown by the next
   * `throwIfFailed`.
   */
  saveWhenDue(): void {
    const { outputs, partial, checkpointInterval: interval = outputs.output.defaultInterval } = this.#options;
    const milliseconds = Math.min(Math.max(MIN_CLOCK_MS, interval * 1000), MAX_CLOCK_MS);
    this.#clock ??= setInterval(() => this.saveWhenDue(), milliseconds).unref();
    if (this.#saving !== undefined || this.#failure !== undefined) return;
    const seconds = (performance.now() - this.#savedAt) / 1000;
    if (seconds < interval) return;
    const point = partial.latest(seconds * OPEN_BYTES_PER_SECOND);
    if (this.#isAhead(point) <= 0) return;
    this.#saving = this.#save('running', point)
      .catch(() => {}) // stored in #failure
      .finally(() => {
        this.#saving = undefined;
        this.#savedAt = performance.now();
      });
  }

  /** @param stopped why no further checkpoint follows, if the same command would stop again */
  async save(state: Checkpoint['state'], stopped?: Checkpoint['stopped']): Promise<void> {
    const point = this.#options.partial.latest();
    // After a failed write, the checkpoint may have rows that the output does not.
    if (this.#isAhead(point) >= 0) await this.#save(state, point, stopped);
  }

  /** How much of the input is done at a point after the checkpoint; negative if nothing was written since the start. */
  #isAhead({ mark }: Extent<Mark>): number {
    if (mark === undefined) return -1;
    return mark.commitPoint.position.offset - (this.saved?.position.offset ?? -1);
  }

  async #save(
    state: Checkpoint['state'],
    committed: Extent<Mark>,
    stopped?: Checkpoint['stopped'],
  ): Promise<void> {
    // A save may have failed while a write was in progress.
    this.throwIfFailed();
    const { partial, rejects, attempt, fingerprint, history, outputs } = this.#options;
    const { mark } = committed;
    if (mark === undefined) return;
    await this.orStopSaving(async () => {
      await partial.sync();
      await rejects.sync();
      const { position, prefix, entry, predictionType, rowCounts, tally } = mark.commitPoint;
      const checkpoint: Checkpoint = {
        format: FORMAT,
        state,
        attempt,
        fingerprint,
        ...(history !== undefined && { history }),
        position,
        ...(entry !== undefined && { entry }),
        prefix,
        ...extentsOf(committed),
        ...(predictionType !== undefined && { predictionType }),
        rowCounts,
        ...(stopped !== undefined && { stopped }),
        ...(tally !== undefined && { tally: tally.toJSON() }),
      };
      await this.#verify(checkpoint);
      await outputs.output.checkpoint.replace(checkpointBytes(checkpoint));
      // Nothing more is done with the text, which may be long.
      delete checkpoint.output.open;
      this.saved = checkpoint;
    });
  }

  /** Checks that no other program has shortened, overwritten or replaced the files, as far as can be seen. */
  async #verify(checkpoint: Checkpoint): Promise<void> {
    const { output, rejects } = this.#options.outputs;
    const has = async (
      written: Pick<Checkpoint, 'output' | 'rejects'>,
      how: keyof Pick<DurableOutput, 'verify' | 'verifyWhole'> = 'verify',
    ): Promise<void> => {
      await output[how](written.output);
      await rejects[how](written.rejects);
    };
    try {
      await has(checkpoint, checkpoint.state === 'complete' ? 'verifyWhole' : 'verify');
    } catch (error) {
      if (!(error instanceof RowcastError)) throw error;
      const { saved } = this;
      this.isLost =
        saved !== undefined &&
        (await has(saved).then(
          () => false,
          () => true,
        ));
      if (!this.isLost) error.hint = RUN_AGAIN;
      throw error;
    }
  }

  /** Records a failure of a sync or rename, so that no later checkpoint is saved. */
  async orStopSaving(act: () => Promise<void>): Promise<void> {
    try {
      await act();
    } catch (cause) {
      this.#failure = stopError(this.#options.outputs.output.name, cause);
      throw this.#failure;
    }
  }
}

const RUN_AGAIN =
  'Another program modified it, or the disk lost data. Make sure that nothing else writes to it, then run the same command again: it goes on from before the damage.';

/** The error of a run that failed to write its output. */
export function stopError(name: string, cause: unknown): RowcastError {
  if (cause instanceof RowcastError) return cause.duringRun();
  return unwritable(name, cause as Error, 'stopped'); // fs and zlib throw an Error
}

/** The state at a point where the output can be truncated. */
export interface Mark {
  rejects: RejectsExtent;
  commitPoint: CommitPoint;
}

/**
 * The parts of output and rejects that a checkpoint covers; they must be synced, because a storage describes them then.
 */
export function extentsOf({ uncompressed, mark, open, ...output }: Extent<Mark>): WrittenExtents {
  const { rejects = fileStart } = mark ?? {};
  return {
    output: { ...storedExtent(output), uncompressed, ...(open !== undefined && { open }) },
    rejects: storedExtent(rejects),
  };
}

/** If the storage describes its points itself, there is nothing that the digest of the tail could be compared with. */
const storedExtent = ({
  bytes,
  tail,
  stored,
  notes,
}: RejectsExtent & Pick<Extent<Mark>, 'notes'>): StoredExtent => ({
  bytes,
  ...(stored === undefined
    ? { tail: tail.digest() }
    : { tail: '', state: stored.state(), carried: stored.carried }),
  ...(notes !== undefined && { notes }),
});
