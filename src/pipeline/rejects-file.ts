import type { Files, WritableFile } from '../io/files.ts';

/** The rejects of a run while they are not whole; there is no file until there is a reject. */
export class RejectsFile {
  /** Bytes so far. */
  size = 0;
  readonly #files: Files;
  readonly #path: string;
  readonly #mode: number;
  #file: WritableFile | undefined;

  constructor(files: Files, path: string, mode: number) {
    this.#files = files;
    this.#path = path;
    this.#mode = mode;
  }

  /** Goes on with the first bytes of what a former run has left, or without any. */
  async cutTo(size: number): Promise<void> {
    this.size = size;
    if (size === 0) await this.#files.remove(this.#path);
    else await (await this.#open()).truncate(size);
  }

  async write(bytes: Buffer): Promise<void> {
    if (bytes.length === 0) return;
    await (await this.#open()).write(bytes, this.size);
    this.size += bytes.length;
  }

  async sync(): Promise<void> {
    await this.#file?.sync();
  }

  async close(): Promise<void> {
    await this.#file?.close();
  }

  async #open(): Promise<WritableFile> {
    this.#file ??= await this.#files.open(this.#path, this.#mode);
    return this.#file;
  }
}
