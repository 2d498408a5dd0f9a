import type { GroupEncoder } from '../../base/text-of-file.ts';
import type { Layout } from '../../formats/format.ts';
import { startOf } from '../../formats/records/batch.ts';
import type { BatchReader } from '../../formats/records/batch-reader.ts';
import type { RowGroups } from '../../formats/records/row-groups.ts';
import { Members } from '../../scoring/merge/members.ts';
import { type Codec, MEMBER_BYTES } from '../../storage/codecs/codec.ts';
import { groupedPartial } from '../../storage/codecs/grouped-partial.ts';
import type { Files } from '../../storage/durable-files.ts';
import type { FileAccess } from '../../storage/local/access.ts';
import { type Extent, fileStart, type PartialFile } from '../../storage/partial-file.ts';

/** How the text of a file becomes groups of rows again. */
export interface NewGroupsOptions {
  layout: Layout;
  groups: RowGroups;
  encoder: GroupEncoder;
}

/** As `NewFile`, of groups of rows; what is written is the text of the rows. */
export class NewGroups {
  readonly #file: PartialFile<true>;
  readonly #layout: Layout;
  readonly #members: Members;
  readonly #records: BatchReader;

  private constructor(file: PartialFile<true>, { layout, groups }: NewGroupsOptions) {
    this.#file = file;
    this.#layout = layout;
    this.#members = new Members(1, false, groups);
    this.#records = layout.records({
      file: '',
      batchRows: Number.POSITIVE_INFINITY,
      maxRecordBytes: Number.POSITIVE_INFINITY,
      start: layout.start,
    });
  }

  static async create(
    files: Files,
    path: string,
    access: FileAccess,
    options: NewGroupsOptions,
  ): Promise<NewGroups> {
    const file = await emptyFile(files, path, access);
    return new NewGroups(groupedPartial<true>(file, fileStart, options.encoder), options);
  }

  async write(bytes: Buffer): Promise<void> {
    if (bytes.length > 0) await this.#append(this.#records.push(bytes));
  }

  /** Makes it durable, and closes it. */
  async finish(): Promise<Extent<true>> {
    await this.#append(this.#records.end());
    const bytes = Buffer.alloc(0);
    await this.#file.append({ bytes, endsMember: true, mark: () => true, endsFile: true });
    await this.#file.sync();
    const { committed } = this.#file;
    await this.#file.close();
    return committed;
  }

  /** What led to this is reported; a failure to close is not. */
  async abandon(): Promise<void> {
    await this.#file.close().catch(() => {});
  }

  async #append(batches: ReturnType<BatchReader['push']>): Promise<void> {
    for (const batch of batches) {
      for (const { from, to, endsMember } of this.#members.partsOf(batch, this.#layout)) {
        const bytes = batch.bytes.subarray(startOf(batch, from), startOf(batch, to));
        await this.#file.append({ bytes, endsMember, mark: undefined });
      }
      this.#records.release(batch.end.offset);
    }
  }
}

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
  static async create(files: Files, path: string, access: FileAccess, codec: Codec): Promise<NewFile> {
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
async function emptyFile(
  files: Files,
  path: string,
  access: FileAccess,
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
