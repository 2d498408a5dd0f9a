import { RowcastError } from '../../base/errors.ts';
import { Tail } from '../../storage/digests.ts';
import type { DurableOutput, StoredExtent } from '../../storage/durable-output.ts';
import type { AppendedFile, StoredPoint } from '../../storage/partial-file.ts';
import { unwritable } from '../../storage/target.ts';

/** The content of the rejects up to some point. */
export interface RejectsExtent {
  readonly bytes: number;
  /** The end of those bytes. */
  readonly tail: Tail;
  readonly stored?: StoredPoint | undefined;
}

/**
 * The unfinished rejects of a run, created on the first reject. They may be on another disk than the output, so errors
 * name them.
 *
 * @throws RowcastError `unwritable_output`, from every method
 */
export class RejectsOutput {
  /** What has been written so far. */
  extent: RejectsExtent = { bytes: 0, tail: Tail.empty };
  readonly #output: DurableOutput;
  readonly #inputBytes: number | undefined;
  /** Being opened, or open. A run may be stopped while it is being opened, and closes it anyway. */
  #file: Promise<AppendedFile> | undefined;

  /** @param inputBytes size of the input, if it is known */
  constructor(output: DurableOutput, inputBytes?: number) {
    this.#output = output;
    this.#inputBytes = inputBytes;
  }

  /** Returns to the committed bytes of an unfinished run, or removes what was written if nothing was committed. */
  async resume(committed: StoredExtent, tail: Tail): Promise<void> {
    let stored: StoredPoint | undefined;
    await this.#named(async () => {
      if (committed.bytes === 0) await this.#output.discard();
      else stored = (await this.#open(committed)).point?.();
    });
    this.extent = { bytes: committed.bytes, tail, stored };
  }

  async write(bytes: Buffer): Promise<void> {
    if (bytes.length === 0) return;
    const { bytes: size, tail } = this.extent;
    let stored: StoredPoint | undefined;
    await this.#named(async () => {
      const file = await this.#open({ bytes: 0, tail: '' });
      await file.append(bytes);
      stored = file.point?.();
    });
    this.extent = { bytes: size + bytes.length, tail: tail.append(bytes), stored };
  }

  async sync(): Promise<void> {
    await this.#named(async () => (await this.#file)?.sync());
  }

  async close(): Promise<void> {
    await this.#named(async () => (await this.#file)?.close());
  }

  async #named(act: () => Promise<void>): Promise<void> {
    await act().catch(error => {
      // An output names itself, but not that it is the one of the rejects.
      const cause = error instanceof RowcastError && error.code === 'unwritable_output' ? error.cause : error;
      throw cause instanceof RowcastError ? cause : unwritable(this.#output.partialName, cause, 'stopped');
    });
  }

  /** @param from where it begins, if it is not open yet */
  #open(from: StoredExtent): Promise<AppendedFile> {
    this.#file ??= this.#output.open(from, this.#inputBytes);
    return this.#file;
  }
}
