import { dirname } from 'node:path';
import type { RunValues } from '../../base/options/values/run-values.ts';
import { sha256Of } from '../../storage/checksum.ts';
import type { Files } from '../../storage/durable-files.ts';
import { accessOf } from '../../storage/local/access.ts';
import type { PartialFile } from '../../storage/partial-file.ts';
import { type Attempt, nextAttempt } from '../attempt.ts';
import type { Checkpoint } from '../checkpoint/checkpoint.ts';
import { removeSetAside } from '../paths/previous-rejects.ts';
import { finishRenames, type RunFiles } from '../paths/run-files.ts';
import { CheckpointSaver, stopError } from './checkpoint-saver.ts';
import { extentsOf, type Mark } from './mark.ts';
import type {
  CommitPoint,
  Output,
  Piece,
  PreviousRun,
  ResumePoint,
  RunIdentity,
  WrittenExtents,
} from './output.ts';
import type { RejectsFile } from './rejects-file.ts';

export interface FileOutputOptions
  extends Pick<
    RunValues,
    | ('ifExists' | 'restart' | 'restartIfChanged' | 'restartIfRetrained')
    | ('history' | 'checkpointInterval' | 'private')
  > {
  /** OUTPUT as given, for messages. */
  name: string;
  /** Its path with links resolved. */
  path: string;
  /** Path given with --rejects, with links resolved; undefined: next to the output. */
  rejects: string | undefined;
  files: Files;
  /** Whether an unfinished run is known to be of different work. */
  isOtherWork?: boolean;
  /** Called when an unfinished run was set aside. */
  onSetAside?: (() => void) | undefined;
  /** Whether what is written is compressed already. */
  isCompressed?: boolean;
}

/**
 * An output file that survives a killed process. Bytes go to OUTPUT.partial. They are synced at intervals, and only then
 * does the checkpoint that covers them replace the previous one. The end is a sequence that may be interrupted anywhere:
 * sync everything, save the complete checkpoint, rename, sync the folder, remove the checkpoint.
 */
export class FileOutput implements Output {
  readonly attempt: Attempt;
  readonly previous: PreviousRun | undefined;
  readonly #options: FileOutputOptions;
  readonly #paths: RunFiles;
  readonly #partial: PartialFile<Mark>;
  readonly #rejects: RejectsFile;
  readonly #identity: RunIdentity;
  readonly #saver: CheckpointSaver;

  constructor(
    options: FileOutputOptions,
    paths: RunFiles,
    partial: PartialFile<Mark>,
    rejects: RejectsFile,
    identity: RunIdentity,
    previous: PreviousRun | undefined,
  ) {
    this.#options = options;
    this.#paths = paths;
    this.#partial = partial;
    this.#rejects = rejects;
    this.#identity = identity;
    this.previous = previous;
    const { name, checkpointInterval: interval, files, history } = options;
    const access = accessOf(paths.output, options.private);
    const { fingerprint } = identity;
    const saved = previous?.checkpoint;
    this.attempt = saved === undefined ? identity.attempt : attemptAfter(saved);
    const { attempt } = this;
    this.#saver = new CheckpointSaver({
      name,
      paths,
      attempt,
      fingerprint,
      history,
      partial,
      rejects,
      saved,
      interval,
      access,
      files,
    });
  }

  get resumePoint(): ResumePoint | undefined {
    const { saved, isLost } = this.#saver;
    if (isLost) return undefined;
    return saved && { row: saved.position.row, accounts: saved.accounts };
  }

  async write({ bytes, rejects, endsMember, isCommitPoint }: Piece, after: () => CommitPoint): Promise<void> {
    this.#saver.throwIfFailed();
    const mark = isCommitPoint ? (): Mark => this.#markAt(after()) : undefined;
    try {
      await this.#rejects.write(rejects);
      await this.#partial.append({ bytes, endsMember, mark });
    } catch (cause) {
      throw stopError(this.#options.name, cause);
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
      const isNamed = this.#options.rejects !== undefined;
      if (isNamed && this.#rejects.extent.bytes === 0)
        await this.#rejects.write(this.#identity.rejectsHeader);
      await this.#partial.append({ bytes: NOTHING, endsMember: true, mark: () => this.#markAt(end) });
      await this.#partial.flush();
    } catch (cause) {
      throw stopError(this.#options.name, cause);
    }
    await this.#saver.save('complete');
    const written = extentsOf(this.#partial.committed);
    await this.#saver.orStopSaving(() => this.#publish(written));
    return written;
  }

  sha256(): Promise<string> {
    return sha256Of(this.#paths.output);
  }

  async suspend(): Promise<ResumePoint | undefined> {
    await this.#saver.settled();
    // The error that stopped the run is reported. If these fail too, the previous checkpoint remains valid.
    await this.#partial.flush().catch(() => {});
    await this.#saver.save('running').catch(() => {});
    await this.#close();
    await this.#removeUncommitted();
    return this.resumePoint;
  }

  async discard(): Promise<void> {
    await this.#saver.settled();
    await this.#close();
    const { checkpoint, partial, rejectsPartial } = this.#paths;
    // The checkpoint goes first: it must never refer to a file that no longer exists.
    for (const path of [checkpoint, partial, rejectsPartial]) await this.#options.files.remove(path);
  }

  /** What led to this is reported; a failure to close is not. */
  async #close(): Promise<void> {
    await this.#partial.close().catch(() => {});
    await this.#rejects.close().catch(() => {});
  }

  /** Removes partial files that no checkpoint covers; they would block the next run. */
  async #removeUncommitted(): Promise<void> {
    const { files } = this.#options;
    const { partial, rejectsPartial } = this.#paths;
    const { saved } = this.#saver;
    if (saved === undefined) await files.remove(partial).catch(() => {});
    if (saved === undefined || saved.rejects.bytes === 0) await files.remove(rejectsPartial).catch(() => {});
  }

  #markAt(commitPoint: CommitPoint): Mark {
    return { rejects: this.#rejects.extent, commitPoint };
  }

  /** Renames the files into place; the complete checkpoint was saved before. */
  async #publish(written: WrittenExtents): Promise<void> {
    const { files } = this.#options;
    await files.syncFolder(dirname(this.#paths.output));
    await this.#partial.close();
    await this.#rejects.close();
    await removeSetAside(files, this.#paths.output);
    await finishRenames(files, this.#paths, written);
  }
}

/** The process that resumes from a checkpoint. */
export const attemptAfter = ({ attempt, position }: Pick<Checkpoint, 'attempt' | 'position'>): Attempt =>
  nextAttempt(attempt, position.row);

const NOTHING = Buffer.alloc(0);
