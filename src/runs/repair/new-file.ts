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

/** Writes the text of a file. */
interface TextWriter {
  write(bytes: Buffer): Promise<void>;
  /** Writes what is left. */
  end(): Promise<void>;
}

/** A new file that is complete and durable before it takes the place of another one. */
export class NewFile {
  readonly #file: PartialFile<true>;
  readonly #text: TextWriter;

  private constructor(file: PartialFile<true>, text: TextWriter) {
    this.#file = file;
    this.#text = text;
  }

  /**
   * @param path where it is written
   * @param access of the file whose place it takes
   * @param how its text is compressed, or becomes groups
   */
  static async create(
    files: Files,
    path: string,
    access: FileAccess,
    how: Codec | NewGroupsOptions,
  ): Promise<NewFile> {
    const file = await files.open(path, access);
    try {
      await file.truncate(0);
    } catch (error) {
      await file.close().catch(() => {}); // the first error is reported
      throw error;
    }
    if ('encoder' in how) {
      const grouped = groupedPartial<true>(file, fileStart, how.encoder);
      return new NewFile(grouped, groupsOf(grouped, how));
    }
    const partial = how.partialFile<true>(file, fileStart);
    return new NewFile(partial, piecesOf(partial));
  }

  /** @param bytes whole records; they must not change until the next write */
  write(bytes: Buffer): Promise<void> {
    return this.#text.write(bytes);
  }

  /** Makes it durable, and closes it. */
  async finish(): Promise<Extent<true>> {
    await this.#text.end();
    await this.#file.append({ bytes: Buffer.alloc(0), endsMember: true, mark: () => true, endsFile: true });
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
}

/** Bytes that are written together: many pieces are short. */
const WRITE_BYTES = 1 << 16;

/** Writes text as it is, in members of a compressed file. */
function piecesOf(file: PartialFile<true>): TextWriter {
  let pieces: Buffer[] = [];
  let held = 0;
  let member = 0;
  const end = async (): Promise<void> => {
    const bytes = Buffer.concat(pieces, held);
    pieces = [];
    held = 0;
    member += bytes.length;
    const endsMember = member >= MEMBER_BYTES;
    if (endsMember) member = 0;
    await file.append({ bytes, endsMember, mark: undefined });
  };
  return {
    async write(bytes) {
      pieces.push(bytes);
      held += bytes.length;
      if (held >= WRITE_BYTES) await end();
    },
    end,
  };
}

/** Cuts text into groups of rows. */
function groupsOf(file: PartialFile<true>, { layout, groups }: NewGroupsOptions): TextWriter {
  const members = new Members(1, false, groups);
  const records = layout.records({
    file: '',
    batchRows: Number.POSITIVE_INFINITY,
    maxRecordBytes: Number.POSITIVE_INFINITY,
    start: layout.start,
  });
  const append = async (batches: ReturnType<BatchReader['push']>): Promise<void> => {
    for (const batch of batches) {
      for (const { from, to, endsMember } of members.partsOf(batch, layout)) {
        const bytes = batch.bytes.subarray(startOf(batch, from), startOf(batch, to));
        await file.append({ bytes, endsMember, mark: undefined });
      }
      records.release(batch.end.offset);
    }
  };
  return {
    async write(bytes) {
      if (bytes.length > 0) await append(records.push(bytes));
    },
    end: () => append(records.end()),
  };
}
