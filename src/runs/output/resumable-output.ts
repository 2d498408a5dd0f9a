import type { RunValues } from '../../base/options/values/run-values.ts';
import type { Backends } from '../../storage/backends.ts';
import type { PartialFile } from '../../storage/partial-file.ts';
import { type Attempt, nextAttempt } from '../attempt.ts';
import type { Checkpoint } from '../checkpoint/checkpoint.ts';
import { isRejects } from '../paths/leftovers.ts';
import { removeSetAside } from '../paths/previous-rejects.ts';
import { publish } from '../paths/publish.ts';
import type { RunOutputs } from '../paths/run-files.ts';
import { checkpointSaver, extentsOf, type Mark, stopError } from './checkpoint-saver.ts';
import type { CommitPoint, Output, PreviousRun, ResumePoint, RunIdentity } from './output.ts';
import type { RejectsOutput } from './rejects-output.ts';

export interface ResumableOutputOptions
  extends Pick<
    RunValues,
    | ('ifExists' | 'restart' | 'restartIfChanged' | 'restartIfRetrained')
    | ('history' | 'checkpointInterval' | 'private')
  > {
  outputs: RunOutputs;
  /** Backends, if not the default ones. */
  backends?: Backends | undefined;
  /** Whether an unfinished run is known to be of different work, and is to be set aside. */
  isOtherWork?: boolean;
  /** Called when an unfinished run was set aside. */
  onSetAside?: (() => void) | undefined;
  /** Whether what is written is compressed already. */
  isCompressed?: boolean;
}

/**
 * An output that survives a killed process. Its bytes go where nobody sees them, such as OUTPUT.partial. They are
 * synced at intervals, and only then does the checkpoint that covers them replace the previous one. The end is a
 * sequence that may be interrupted anywhere: sync everything, save the complete checkpoint, publish, remove the
 * checkpoint.
 */
export function resumableOutput(
  options: ResumableOutputOptions,
  partial: PartialFile<Mark>,
  rejects: RejectsOutput,
  identity: RunIdentity,
  previous: PreviousRun | undefined,
): Output {
  const { outputs } = options;
  const { output, hasDefaultRejects } = outputs;
  const attempt = previous === undefined ? identity.attempt : attemptAfter(previous.checkpoint);
  const saved = previous?.checkpoint;
  const saver = checkpointSaver({ ...options, ...identity, attempt, partial, rejects, saved });
  const { stored } = saver;
  const markAt = (commitPoint: CommitPoint): Mark => ({ rejects: rejects.extent, commitPoint });
  const resumePoint = (): ResumePoint | undefined =>
    stored.saved && !stored.isLost
      ? { row: stored.saved.position.row, rowCounts: stored.saved.rowCounts }
      : undefined;
  const named = (cause: unknown): never => {
    throw stopError(output.name, cause);
  };
  /** What led to this is reported; a failure to close is not. */
  const close = async (): Promise<void> => {
    await partial.close().catch(() => {});
    await rejects.close().catch(() => {});
  };
  /**
   * Whether there is a rejects file although nothing was rejected: a place that was named gets one in any case; an
   * earlier one that cannot be removed is replaced by its header.
   */
  const needsRejects = async (): Promise<boolean> =>
    !hasDefaultRejects || (outputs.rejects.remove === undefined && (await isRejects(outputs.rejects)));
  const writeEnd = async (end: CommitPoint): Promise<void> => {
    if (rejects.extent.bytes === 0 && (await needsRejects())) await rejects.write(identity.rejectsHeader);
    await partial.append({ bytes: NOTHING, endsMember: true, mark: () => markAt(end), endsFile: true });
    await partial.flush();
  };

  return {
    attempt,
    previous,
    get resumePoint() {
      return resumePoint();
    },
    async write({ bytes, rejects: rejected, endsMember, isCommitPoint }, after) {
      saver.throwIfFailed();
      const mark = isCommitPoint ? () => markAt(after()) : undefined;
      try {
        await rejects.write(rejected);
        await partial.append({ bytes, endsMember, mark });
      } catch (cause) {
        named(cause);
      }
      saver.saveWhenDue();
    },
    async save() {
      await saver.settled();
      await partial.flush();
      await saver.save('running');
    },
    async finish(end) {
      await saver.settled();
      saver.throwIfFailed();
      await writeEnd(end).catch(named);
      await saver.save('complete');
      const written = extentsOf(partial.committed);
      await saver.orStopSaving(async () => {
        await output.settle();
        await partial.close();
        await rejects.close();
        await removeSetAside(output, options.backends);
        await publish(outputs, written);
      });
      return written;
    },
    sha256: () => output.sha256(),
    async suspend(stopped) {
      await saver.settled();
      // The error that stopped the run is reported. If these fail too, the previous checkpoint remains valid.
      await partial.flush().catch(() => {});
      await saver.save('running', stopped).catch(() => {});
      await close();
      // Partial files that no checkpoint covers would block the next run.
      if (stored.saved === undefined) await output.discard().catch(() => {});
      if (!stored.saved?.rejects.bytes) await outputs.rejects.discard().catch(() => {});
      return resumePoint();
    },
    async discard() {
      await saver.settled();
      await close();
      // The checkpoint goes first: it must never refer to bytes that no longer exist.
      await output.checkpoint.remove();
      await output.discard(stored.saved?.output);
      await outputs.rejects.discard(stored.saved?.rejects);
    },
  };
}

/** The process that resumes from a checkpoint. */
export const attemptAfter = ({ attempt, position }: Pick<Checkpoint, 'attempt' | 'position'>): Attempt =>
  nextAttempt(attempt, position.row);

const NOTHING = Buffer.alloc(0);
