import { dirname } from 'node:path';
import { RowcastError } from '../errors.ts';
import { sha256Of } from '../io/checksum.ts';
import type { Files } from '../io/files.ts';
import type { PartialFile } from '../io/partial.ts';
import { unwritable } from '../io/target.ts';
import type { Checkpoint } from './checkpoint.ts';
import { finishRenames, type RunFiles } from './finishing.ts';
import type { ScoreOptions } from './options.ts';
import type { Beginning, Boundary, Left, Output } from './output.ts';
import type { RejectsFile } from './rejects-file.ts';

export interface FileOutputOptions extends Pick<ScoreOptions, 'ifExists' | 'restart' | 'checkpointSeconds'> {
  /** OUTPUT as it was given, for messages. */
  name: string;
  /** The file that it is, links followed. */
  path: string;
  /** The rejects file, links followed; by default beside it. */
  rejects: string | undefined;
  /** Permissions of new files. */
  mode: number;
  files: Files;
}

/** A point that a run can be gone on from, and how many bytes of output come before it. */
interface Resumable {
  uncompressed: number;
  /** Bytes of rejects that come before it. */
  rejects: number;
  boundary: Boundary;
}

/**
 * An output file that survives its writer. Bytes go to OUTPUT.partial; now and then they are made durable, and
 * only then the checkpoint that vouches for them replaces the former one. At the end, in an order that can be
 * broken off anywhere: all durable, checkpoint complete, the renames, the folder durable, checkpoint removed.
 */
export class FileOutput implements Output {
  readonly left: Left | undefined;
  readonly #options: FileOutputOptions;
  readonly #paths: RunFiles;
  readonly #partial: PartialFile;
  readonly #rejects: RejectsFile;
  readonly #beginning: Beginning;
  /** Points from the last one that is settled on; a gzip file is settled only where a member ends. */
  #resumables: Resumable[];
  /** Bytes of output so far, those that are still held back included. */
  #uncompressed: number;
  /** Bytes that the partial file holds already of what will be written. */
  #ahead: number;
  #saving: Promise<void> | undefined;
  #failure: Error | undefined;
  #savedAt = performance.now();
  /** The next row by the checkpoint that is on disk. */
  #savedRow: number | undefined;

  constructor(
    options: FileOutputOptions,
    paths: RunFiles,
    partial: PartialFile,
    rejects: RejectsFile,
    beginning: Beginning,
    left: Left | undefined,
  ) {
    this.#options = options;
    this.#paths = paths;
    this.#partial = partial;
    this.#rejects = rejects;
    this.#beginning = beginning;
    this.left = left;
    this.#savedRow = left?.checkpoint.position.row;
    this.#ahead = left?.checkpoint.output.ahead ?? 0;
    this.#uncompressed = partial.settled.uncompressed - this.#ahead;
    const uncompressed = this.#uncompressed;
    this.#resumables = left ? [{ uncompressed, rejects: rejects.size, boundary: left.checkpoint }] : [];
  }

  async write(bytes: Buffer, rejects: Buffer, after: Boundary): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure;
    const known = Math.min(this.#ahead, bytes.length);
    this.#ahead -= known;
    try {
      await this.#partial.write(bytes.subarray(known));
      await this.#rejects.write(rejects);
    } catch (cause) {
      throw unwritable(this.#options.name, cause as Error, 'stopped'); // what fs fails with
    }
    this.#uncompressed += bytes.length;
    const boundary = structuredClone(after);
    this.#resumables.push({ uncompressed: this.#uncompressed, rejects: this.#rejects.size, boundary });
    this.#dropSettled();
    this.#saveWhenDue();
  }

  async finish(): Promise<void> {
    await this.#saving;
    try {
      await this.#partial.finish();
      this.#dropSettled();
      await this.#save('complete');
      const { files } = this.#options;
      await files.syncFolder(dirname(this.#paths.output));
      await this.#partial.close();
      await this.#rejects.close();
      const sizes = { output: this.#partial.settled.bytes, rejects: this.#rejects.size };
      await finishRenames(files, this.#paths, sizes, 'stopped');
    } catch (cause) {
      if (cause instanceof RowcastError) throw cause;
      throw unwritable(this.#options.name, cause as Error, 'stopped'); // what fs fails with
    }
  }

  sha256(): Promise<string> {
    return sha256Of(this.#paths.output);
  }

  async suspend(): Promise<number | undefined> {
    await this.#saving;
    // What stopped the run is told; where this fails too, the former checkpoint stands.
    await this.#save('running').catch(() => {});
    await this.#partial.close().catch(() => {});
    await this.#rejects.close().catch(() => {});
    // Without a checkpoint they are of no use to anybody.
    if (this.#savedRow === undefined)
      for (const path of [this.#paths.partial, this.#paths.rejectsPartial])
        await this.#options.files.remove(path).catch(() => {});
    return this.#savedRow;
  }

  #dropSettled(): void {
    const { uncompressed } = this.#partial.settled;
    let settled = 0;
    while ((this.#resumables[settled + 1]?.uncompressed ?? Number.POSITIVE_INFINITY) <= uncompressed)
      settled++;
    this.#resumables.splice(0, settled);
  }

  /** The writing goes on meanwhile; a failure is told to the next write. */
  #saveWhenDue(): void {
    if (this.#saving !== undefined) return;
    if (performance.now() - this.#savedAt < this.#options.checkpointSeconds * 1000) return;
    this.#saving = this.#save('running')
      .catch(cause => {
        this.#failure = unwritable(this.#options.name, cause, 'stopped');
      })
      .finally(() => {
        this.#saving = undefined;
        this.#savedAt = performance.now();
      });
  }

  async #save(state: Checkpoint['state']): Promise<void> {
    const [resumable] = this.#resumables;
    const { bytes, uncompressed } = this.#partial.settled;
    if (resumable === undefined || resumable.uncompressed > uncompressed) return;
    // On disk it stands beside the fingerprint of the input that it was made of; this one may not be that.
    if (resumable.boundary === this.left?.checkpoint && state === 'running') return;
    const { position, prefix, classes, accounts } = resumable.boundary;
    const { fingerprint, dialect } = this.#beginning;
    const checkpoint: Checkpoint = {
      format: 1,
      state,
      fingerprint,
      position,
      prefix,
      output: { bytes, uncompressed, ahead: uncompressed - resumable.uncompressed },
      rejects: { bytes: resumable.rejects },
      classes: [...classes],
      dialect: { ...dialect, quote: dialect.quote ?? null },
      accounts,
    };
    const { files, mode } = this.#options;
    await this.#partial.sync();
    await this.#rejects.sync();
    await replaceFile(files, this.#paths.checkpoint, JSON.stringify(checkpoint), mode);
    this.#savedRow = position.row;
  }
}

/** Writes a file beside the old one, makes it durable, and only then puts it in the old one's place. */
async function replaceFile(files: Files, path: string, text: string, mode: number): Promise<void> {
  const file = await files.open(`${path}.new`, mode);
  await file.truncate(0);
  await file.write(Buffer.from(text), 0);
  await file.sync();
  await file.close();
  await files.rename(`${path}.new`, path);
}
