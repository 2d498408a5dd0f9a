import type { RunValues } from '../../base/options/values/run-values.ts';
import type { Backends } from '../../storage/backends.ts';
import type { PartialFile } from '../../storage/partial-file.ts';
import { type Attempt, nextAttempt } from '../attempt.ts';
import type { Checkpoint } from '../checkpoint/checkpoint.ts';
import { isRejects } from '../paths/leftovers.ts';
import { removeSetAside } from '../paths/previous-rejects.ts';
import { publish } from '../paths/publish.ts';
import type { RunOutputs } from '../paths/run-files.ts';
import { CheckpointSaver, extentsOf, type Mark, stopError } from './checkpoint-saver.ts';
import type {
  CommitPoint,
  Output,
  OutputPiece,
  PreviousRun,
  ResumePoint,
  RunIdentity,
  WrittenExtents,
} from './output.ts';
import type { RejectsOutput } from './rejects-output.ts';

/** The options of a run that decide how its output begins, and how it is written. */
export type OutputOptions = Pick<
  RunValues,
  | ('ifExists' | 'restart' | 'restartIfChanged' | 'restartIfRetrained')
  | ('history' | 'checkpointInterval' | 'private')
>;

export interface ResumableOutputOptions extends OutputOptions {
  outputs: RunOutputs;
  /** Backends, if not the default ones. */
  backends?: Backends | undefined;
  /** Whether an unfinished run is known to be of different work. */
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
export class ResumableOutput implements Output {
  readonly attempt: Attempt;
  readonly previous: PreviousRun | undefined;
  readonly #options: ResumableOutputOptions;
  readonly #outputs: RunOutputs;
  readonly #partial: PartialFile<Mark>;
  readonly #rejects: RejectsOutput;
  readonly #identity: RunIdentity;
  readonly #saver: CheckpointSaver;

  constructor(
    options: ResumableOutputOptions,
    partial: PartialFile<Mark>,
    rejects: RejectsOutput,
    identity: RunIdentity,
    previous: PreviousRun | undefined,
  ) {
    this.#options = options;
    this.#outputs = options.outputs;
    this.#partial = partial;
    this.#rejects = rejects;
    this.#identity = identity;
    this.previous = previous;
    const saved = previous?.checkpoint;
    this.attempt = saved === undefined ? identity.attempt : attemptAfter(saved);
    const { attempt } = this;
    this.#saver = new CheckpointSaver({ ...options, ...identity, attempt, partial, rejects, saved });
  }

  get resumePoint(): ResumePoint | undefined {
    const { saved, isLost } = this.#saver;
    if (isLost) return undefined;
    return saved && { row: saved.position.row, rowCounts: saved.rowCounts };
  }

  async write(
    { bytes, rejects, endsMember, isCommitPoint }: OutputPiece,
    after: () => CommitPoint,
  ): Promise<void> {
    this.#saver.throwIfFailed();
    const mark = isCommitPoint ? (): Mark => this.#markAt(after()) : undefined;
    try {
      await this.#rejects.write(rejects);
      await this.#partial.append({ bytes, endsMember, mark });
    } catch (cause) {
      throw stopError(this.#outputs.output.name, cause);
    }
    this.#saver.saveWhenDue();
  }

  async save(): Promise<void> {
    await this.#saver.settled();
    await this.#partial.flush();
    await this.#saver.save('running');
  }

  async finish(end: CommitPoint): Promise<WrittenExtents> {
    await this.#saver.settled();
    this.#saver.throwIfFailed();
    try {
      if (this.#rejects.extent.bytes === 0 && (await this.#needsRejects()))
        await this.#rejects.write(this.#identity.rejectsHeader);
      const mark = (): Mark => this.#markAt(end);
      await this.#partial.append({ bytes: NOTHING, endsMember: true, mark, endsFile: true });
      await this.#partial.flush();
    } catch (cause) {
      throw stopError(this.#outputs.output.name, cause);
    }
    await this.#saver.save('complete');
    const written = extentsOf(this.#partial.committed);
    await this.#saver.orStopSaving(() => this.#publish(written));
    return written;
  }

  sha256(): Promise<string> {
    return this.#outputs.output.sha256();
  }

  async suspend(stopped?: Checkpoint['stopped']): Promise<ResumePoint | undefined> {
    await this.#saver.settled();
    // The error that stopped the run is reported. If these fail too, the previous checkpoint remains valid.
    await this.#partial.flush().catch(() => {});
    await this.#saver.save('running', stopped).catch(() => {});
    await this.#close();
    await this.#removeUncommitted();
    return this.resumePoint;
  }

  async discard(): Promise<void> {
    await this.#saver.settled();
    await this.#close();
    const { output, rejects } = this.#outputs;
    const { saved } = this.#saver;
    // The checkpoint goes first: it must never refer to bytes that no longer exist.
    await output.checkpoint.remove();
    await output.discard(saved?.output);
    await rejects.discard(saved?.rejects);
  }

  /** What led to this is reported; a failure to close is not. */
  async #close(): Promise<void> {
    await this.#partial.close().catch(() => {});
    await this.#rejects.close().catch(() => {});
  }

  /** Removes partial files that no checkpoint covers; they would block the next run. */
  async #removeUncommitted(): Promise<void> {
    const { output, rejects } = this.#outputs;
    const { saved } = this.#saver;
    if (saved === undefined) await output.discard().catch(() => {});
    if (saved === undefined || saved.rejects.bytes === 0) await rejects.discard().catch(() => {});
  }

  /**
   * A place that was named gets a file in any case; an earlier one that cannot be removed is replaced by its header.
   */
  async #needsRejects(): Promise<boolean> {
    const { rejects, hasDefaultRejects } = this.#outputs;
    return !hasDefaultRejects || (rejects.remove === undefined && (await isRejects(rejects)));
  }

  #markAt(commitPoint: CommitPoint): Mark {
    return { rejects: this.#rejects.extent, commitPoint };
  }

  /** The complete checkpoint was saved before. */
  async #publish(written: WrittenExtents): Promise<void> {
    const { output } = this.#outputs;
    await output.settle();
    await this.#partial.close();
    await this.#rejects.close();
    await removeSetAside(output, this.#options.backends);
    await publish(this.#outputs, written);
  }
}

/** The process that resumes from a checkpoint. */
export const attemptAfter = ({ attempt, position }: Pick<Checkpoint, 'attempt' | 'position'>): Attempt =>
  nextAttempt(attempt, position.row);

const NOTHING = Buffer.alloc(0);
