import { RowcastError } from '../../base/errors.ts';
import type { Files, WritableFile } from '../../storage/durable-files.ts';
import type { Access } from '../../storage/local/access.ts';
import { Tail } from '../../storage/tail-digest.ts';
import { unwritable } from '../../storage/target.ts';

/** The content of the rejects file up to some point. */
export interface RejectsExtent {
  readonly bytes: number;
  /** The end of those bytes. */
  readonly tail: Tail;
}

/**
 * The partial rejects file of a run, created on the first reject. It may be on another disk than the output, so errors
 * name this file.
 *
 * @throws RowcastError `unwritable_output`, from every method
 */
export class RejectsFile {
  /** What has been written so far. */
  extent: RejectsExtent = { bytes: 0, tail: Tail.empty };
  readonly #files: Files;
  readonly #path: string;
  readonly #access: Access;
  /** Being opened, or open. A run may be stopped while it is being opened, and closes it anyway. */
  #file: Promise<WritableFile> | undefined;

  /** @param access who may use it, in its final place */
  constructor(files: Files, path: string, access: Access) {
    this.#files = files;
    this.#path = path;
    this.#access = access;
  }

  /** Truncates the file of an unfinished run to its committed bytes, or removes it if nothing was committed. */
  async resume(extent: RejectsExtent): Promise<void> {
    this.extent = extent;
    await this.#named(async () => {
      if (extent.bytes === 0) await this.#files.remove(this.#path);
      else await (await this.#open()).truncate(extent.bytes);
    });
  }

  async write(bytes: Buffer): Promise<void> {
    if (bytes.length === 0) return;
    const { bytes: size, tail } = this.extent;
    await this.#named(async () => (await this.#open()).append(bytes));
    this.extent = { bytes: size + bytes.length, tail: tail.append(bytes) };
  }

  async sync(): Promise<void> {
    await this.#named(async () => (await this.#file)?.sync());
  }

  async close(): Promise<void> {
    await this.#named(async () => (await this.#file)?.close());
  }

  async #named(act: () => Promise<void>): Promise<void> {
    await act().catch(cause => {
      throw cause instanceof RowcastError ? cause : unwritable(this.#path, cause, 'stopped');
    });
  }

  #open(): Promise<WritableFile> {
    this.#file ??= this.#files.open(this.#path, this.#access);
    return this.#file;
  }
}
