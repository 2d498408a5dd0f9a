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
export function checkpointSaver({ outputs, partial, rejects, ...options }: CheckpointSaverOptions) {
  const { attempt, fingerprint, history } = options;
  const { checkpointInterval: interval = outputs.output.defaultInterval } = options;
  const stored = {
    /** The checkpoint that is stored. */
    saved: options.saved,
    /** Whether the outputs turned out to lack bytes that it covers, so that no run can resume from it. */
    isLost: false,
  };
  let saving: Promise<void> | undefined;
  /** The failure after which no further checkpoint may be written. */
  let failure: RowcastError | undefined;
  let savedAt = performance.now();
  /** Saves what was written before a stall, after which no write asks for it. */
  let clock: NodeJS.Timeout | undefined;

  /** @throws RowcastError of a failed save or rename */
  const throwIfFailed = (): void => {
    if (failure !== undefined) throw failure;
  };

  /** Records a failure of a sync or rename, so that no later checkpoint is saved. */
  const orStopSaving = async (act: () => Promise<void>): Promise<void> => {
    try {
      await act();
    } catch (cause) {
      failure = stopError(outputs.output.name, cause);
      throw failure;
    }
  };

  const has = async (
    written: Pick<Checkpoint, 'output' | 'rejects'>,
    how: keyof Pick<DurableOutput, 'verify' | 'verifyWhole'> = 'verify',
  ): Promise<void> => {
    await outputs.output[how](written.output);
    await outputs.rejects[how](written.rejects);
  };

  /** Checks that no other program has shortened, overwritten or replaced the files, as far as can be seen. */
  const verify = async (checkpoint: Checkpoint): Promise<void> => {
    try {
      await has(checkpoint, checkpoint.state === 'complete' ? 'verifyWhole' : 'verify');
    } catch (error) {
      if (!(error instanceof RowcastError)) throw error;
      if (stored.saved !== undefined)
        await has(stored.saved).catch(() => {
          stored.isLost = true;
        });
      if (!stored.isLost) error.hint = RUN_AGAIN;
      throw error;
    }
  };

  /** How much of the input is done at a point after the checkpoint; negative if nothing was written since the start. */
  const isAhead = ({ mark }: Extent<Mark>): number =>
    mark === undefined ? -1 : mark.commitPoint.position.offset - (stored.saved?.position.offset ?? -1);

  const saveAt = async (
    committed: Extent<Mark>,
    state: Checkpoint['state'],
    stopped?: Checkpoint['stopped'],
  ): Promise<void> => {
    // A save may have failed while a write was in progress.
    throwIfFailed();
    const { mark } = committed;
    if (mark === undefined) return;
    await orStopSaving(async () => {
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
      await verify(checkpoint);
      await outputs.output.checkpoint.replace(checkpointBytes(checkpoint));
      // Nothing more is done with the text, which may be long.
      delete checkpoint.output.open;
      stored.saved = checkpoint;
    });
  };

  /**
   * Saves in the background, now and when nothing is written for a while; a failure is thrown by the next
   * `throwIfFailed`.
   */
  const saveWhenDue = (): void => {
    const milliseconds = Math.min(Math.max(MIN_CLOCK_MS, interval * 1000), MAX_CLOCK_MS);
    clock ??= setInterval(saveWhenDue, milliseconds).unref();
    if (saving !== undefined || failure !== undefined) return;
    const seconds = (performance.now() - savedAt) / 1000;
    if (seconds < interval) return;
    const point = partial.latest(seconds * OPEN_BYTES_PER_SECOND);
    if (isAhead(point) <= 0) return;
    saving = saveAt(point, 'running')
      .catch(() => {}) // stored in `failure`
      .finally(() => {
        saving = undefined;
        savedAt = performance.now();
      });
  };

  return {
    stored: stored as Readonly<typeof stored>,
    throwIfFailed,
    saveWhenDue,
    orStopSaving,

    /** Waits for a save in the background; the next write begins such saves again. */
    async settled(): Promise<void> {
      clearInterval(clock);
      clock = undefined;
      await saving;
    },

    /** @param stopped why no further checkpoint follows, if the same command would stop again */
    async save(state: Checkpoint['state'], stopped?: Checkpoint['stopped']): Promise<void> {
      const point = partial.latest();
      // After a failed write, the checkpoint may have rows that the output does not.
      if (isAhead(point) >= 0) await saveAt(point, state, stopped);
    },
  };
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
