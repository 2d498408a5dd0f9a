import { type Codec, MEMBER_BYTES } from '../../storage/codecs/codec.ts';
import type { Files } from '../../storage/durable-files.ts';
import type { Access } from '../../storage/local/access.ts';
import { type Extent, fileStart, type PartialFile } from '../../storage/partial-file.ts';

/** Bytes that are written together: many pieces are short. */
const WRITE_BYTES = 1 << 16;

/** A new file that is complete and durable before it takes the place of another one. */
export class NewFile {
  readonly #file: PartialFile<true>;
  #pieces: Buffer[] = [];
  #held = 0;
  #member = 0;

  private constructor(file: PartialFile<true>) {
    this.#file = file;
  }

  /**
   * @param path where it is written
   * @param access of the file whose place it takes
   */
  static async create(files: Files, path: string, access: Access, codec: Codec): Promise<NewFile> {
    const file = await emptyFile(files, path, access);
    return new NewFile(codec.partialFile<true>(file, fileStart));
  }

  /** @param bytes whole records; they must not change until the next write */
  async write(bytes: Buffer): Promise<void> {
    this.#pieces.push(bytes);
    this.#held += bytes.length;
    if (this.#held >= WRITE_BYTES) await this.#flush();
  }

  /** Makes it durable, and closes it. */
  async finish(): Promise<Extent<true>> {
    await this.#flush(true);
    await this.#file.flush();
    await this.#file.sync();
    const { committed } = this.#file;
    await this.#file.close();
    return committed;
  }

  /** What led to this is reported; a failure to close is not. */
  async abandon(): Promise<void> {
    await this.#file.close().catch(() => {});
  }

  async #flush(isEnd = false): Promise<void> {
    const bytes = Buffer.concat(this.#pieces, this.#held);
    this.#pieces = [];
    this.#held = 0;
    this.#member += bytes.length;
    const endsMember = isEnd || this.#member >= MEMBER_BYTES;
    if (endsMember) this.#member = 0;
    await this.#file.append({ bytes, endsMember, mark: isEnd ? () => true : undefined });
  }
}

/** Opens a file in which nothing is. */
export async function emptyFile(
  files: Files,
  path: string,
  access: Access,
): Promise<Awaited<ReturnType<Files['open']>>> {
  const file = await files.open(path, access);
  try {
    await file.truncate(0);
    return file;
  } catch (error) {
    await file.close().catch(() => {}); // the first error is reported
    throw error;
  }
}
