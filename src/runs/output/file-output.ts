import { dirname } from 'node:path';
import { RowcastError } from '../../errors.ts';
import { sha256Of } from '../../storage/checksum.ts';
import { replaceFile } from '../../storage/local/atomic-write.ts';
import type { Files } from '../../storage/local/durable-files.ts';
import { type Extent, fileStart, type PartialFile } from '../../storage/local/partial-file.ts';
import { unwritable } from '../../storage/target.ts';
import { type Checkpoint, FORMAT } from '../checkpoint/checkpoint.ts';
import type { ScoreOptions } from '../options.ts';
import { finishRenames, type RunFiles } from '../paths/run-files.ts';
import type { CommitPoint, Output, Piece, PreviousRun, ResumePoint, RunIdentity } from './output.ts';
import type { RejectsExtent, RejectsFile } from './rejects-file.ts';

export interface FileOutputOptions extends Pick<ScoreOptions, 'ifExists' | 'restart' | 'checkpointInterval'> {
  /** OUTPUT as given, for messages. */
  name: string;
  /** Its path with links resolved. */
  path: string;
  /** Path given with --rejects, with links resolved; undefined: next to the output. */
  rejects: string | undefined;
  /** Permissions of new files. */
  mode: number;
  files: Files;
}

/** The state at a point where the output can be truncated. */
export interface Mark {
  rejects: RejectsExtent;
  commitPoint: CommitPoint;
}

/**
 * An output file that survives a killed process. Bytes go to OUTPUT.partial. They are synced at intervals, and only then
 * does the checkpoint that covers them replace the previous one. The end is a sequence that may be interrupted anywhere:
 * sync everything, save the complete checkpoint, rename, sync the folder, remove the checkpoint.
 *
 * Linux reports a failed write-back to only one sync; the next one succeeds although bytes were lost. So after any failed
 * sync or rename no further checkpoint is written, and the previous one remains valid.
 */
export class FileOutput implements Output {
  readonly previous: PreviousRun | undefined;
  readonly #options: FileOutputOptions;
  readonly #paths: RunFiles;
  readonly #partial: PartialFile<Mark>;
  readonly #rejects: RejectsFile;
  readonly #identity: RunIdentity;
  #saving: Promise<void> | undefined;
  /** The failure after which no further checkpoint may be written. */
  #failure: RowcastError | undefined;
  #savedAt = performance.now();
  /** The checkpoint that is on disk. */
  #saved: Checkpoint | undefined;

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
    this.#saved = previous?.checkpoint;
  }

  get resumePoint(): ResumePoint | undefined {
    return this.#saved && resumePointOf(this.#saved);
  }

  async write({ bytes, rejects, endsMember, isCommitPoint }: Piece, after: () => CommitPoint): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure;
    const mark = isCommitPoint ? (): Mark => this.#markAt(after()) : undefined;
    try {
      await this.#rejects.write(rejects);
      await this.#partial.append({ bytes, endsMember, mark });
    } catch (cause) {
      throw this.#asStopError(cause);
    }
    this.#saveWhenDue();
  }

  async finish(end: CommitPoint): Promise<void> {
    await this.#saving;
    if (this.#failure !== undefined) throw this.#failure;
    try {
      const isNamed = this.#options.rejects !== undefined;
      if (isNamed && this.#rejects.extent.bytes === 0)
        await this.#rejects.write(this.#identity.rejectsHeader);
      await this.#partial.append({ bytes: NOTHING, endsMember: true, mark: () => this.#markAt(end) });
      await this.#partial.flush();
    } catch (cause) {
      throw this.#asStopError(cause);
    }
    await this.#save('complete');
    await this.#orStopSaving(() => this.#publish());
  }

  sha256(): Promise<string> {
    return sha256Of(this.#paths.output);
  }

  async suspend(): Promise<ResumePoint | undefined> {
    await this.#saving;
    // The error that stopped the run is reported. If these fail too, the previous checkpoint remains valid.
    await this.#partial.flush().catch(() => {});
    await this.#save('running').catch(() => {});
    await this.#partial.close().catch(() => {});
    await this.#rejects.close().catch(() => {});
    await this.#removeUncommitted();
    return this.resumePoint;
  }

  async discard(): Promise<void> {
    await this.#saving;
    await this.#partial.close().catch(() => {});
    await this.#rejects.close().catch(() => {});
    const { checkpoint, partial, rejectsPartial } = this.#paths;
    // The checkpoint goes first: it must never refer to a file that no longer exists.
    for (const path of [checkpoint, partial, rejectsPartial]) await this.#options.files.remove(path);
  }

  /** Removes partial files that no checkpoint covers; they would block the next run. */
  async #removeUncommitted(): Promise<void> {
    const { files } = this.#options;
    const { partial, rejectsPartial } = this.#paths;
    if (this.#saved === undefined) await files.remove(partial).catch(() => {});
    if (this.#saved === undefined || this.#saved.rejects.bytes === 0)
      await files.remove(rejectsPartial).catch(() => {});
  }

  #markAt(commitPoint: CommitPoint): Mark {
    return { rejects: this.#rejects.extent, commitPoint };
  }

  /** Renames the files into place; the complete checkpoint was saved before. */
  async #publish(): Promise<void> {
    const { files } = this.#options;
    await files.syncFolder(dirname(this.#paths.output));
    await this.#partial.close();
    await this.#rejects.close();
    await finishRenames(files, this.#paths, extentsOf(this.#partial.committed));
  }

  /** Saves in the background; a failure is thrown by the next `write`, or by `finish`. */
  #saveWhenDue(): void {
    if (this.#saving !== undefined) return;
    if (performance.now() - this.#savedAt < this.#options.checkpointInterval * 1000) return;
    this.#saving = this.#save('running')
      .catch(() => {}) // stored in #failure
      .finally(() => {
        this.#saving = undefined;
        this.#savedAt = performance.now();
      });
  }

  async #save(state: Checkpoint['state']): Promise<void> {
    // A save may have failed while a write was in progress.
    if (this.#failure !== undefined) throw this.#failure;
    const { committed } = this.#partial;
    const { mark } = committed;
    // Nothing was written since the start, so there is nothing new to save.
    if (mark === undefined) return;
    const { fingerprint } = this.#identity;
    const { position, prefix, classes, accounts } = mark.commitPoint;
    const checkpoint: Checkpoint = {
      format: FORMAT,
      state,
      fingerprint,
      position,
      prefix,
      ...extentsOf(committed),
      classes: [...classes],
      accounts,
    };
    const { files, mode } = this.#options;
    await this.#orStopSaving(async () => {
      await this.#partial.sync();
      await this.#rejects.sync();
      const { checkpoint: path, newCheckpoint: next } = this.#paths;
      await replaceFile(files, path, Buffer.from(JSON.stringify(checkpoint)), { next, mode });
    });
    this.#saved = checkpoint;
  }

  /** Records a failure of a sync or rename, so that no later checkpoint is saved. */
  async #orStopSaving(act: () => Promise<void>): Promise<void> {
    try {
      await act();
    } catch (cause) {
      this.#failure = this.#asStopError(cause);
      throw this.#failure;
    }
  }

  #asStopError(cause: unknown): RowcastError {
    if (cause instanceof RowcastError) return cause.duringRun();
    return unwritable(this.#options.name, cause as Error, 'stopped'); // fs and zlib throw an Error
  }
}

const resumePointOf = ({ position: { row }, accounts }: Checkpoint): ResumePoint => ({ row, accounts });

const NOTHING = Buffer.alloc(0);

/** The parts of output and rejects that a checkpoint covers. */
function extentsOf({
  bytes,
  uncompressed,
  tail,
  mark,
}: Extent<Mark>): Pick<Checkpoint, 'output' | 'rejects'> {
  const { rejects = fileStart } = mark ?? {};
  return {
    output: { bytes, uncompressed, tail: tail.digest() },
    rejects: { bytes: rejects.bytes, tail: rejects.tail.digest() },
  };
}
