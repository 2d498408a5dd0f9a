import type { GroupEncoder } from '../../base/text-of-file.ts';
import type { Layout } from '../../formats/format.ts';
import { startOf } from '../../formats/records/batch.ts';
import type { BatchReader } from '../../formats/records/batch-reader.ts';
import type { RowGroups } from '../../formats/records/row-groups.ts';
import { Members } from '../../scoring/merge/members.ts';
import { groupedPartial } from '../../storage/codecs/grouped-partial.ts';
import type { Files } from '../../storage/durable-files.ts';
import type { Access } from '../../storage/local/access.ts';
import { type Extent, fileStart, type PartialFile } from '../../storage/partial-file.ts';
import { emptyFile } from './new-file.ts';

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
      batchBytes: () => Number.POSITIVE_INFINITY,
      rowOverhead: 0,
      maxRecordBytes: Number.POSITIVE_INFINITY,
      start: layout.start,
    });
  }

  static async create(
    files: Files,
    path: string,
    access: Access,
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
