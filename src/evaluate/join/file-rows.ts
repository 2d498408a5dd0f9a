import type { BatchMemory } from '../../base/kernel/batch-memory.ts';
import { BatchColumns } from '../../formats/columns/batch-columns.ts';
import type { Layout } from '../../formats/format.ts';
import { type Batch, RecordKind } from '../../formats/records/batch.ts';
import type { Fields } from '../../formats/records/fields.ts';
import type { MalformedRows } from '../../training/rows/malformed-rows.ts';
import { type OpenOptions, openRecords } from '../../training/rows/open-batches.ts';

/** The well-formed rows of a batch. */
export interface BatchRows {
  fields: Fields;
  /** As many numbers for each row as was asked for, with anything in them; in memory of the kernel. */
  values: Float64Array;
  /** The number that a row has in its file, from 1. */
  numberOf(row: number): number;
}

/** Rows that were read of the files of one side. */
export interface RowsSoFar {
  rows: number;
  readonly malformed: MalformedRows;
}

/** A file whose header was read. */
export interface RowsFile {
  /** For messages. */
  readonly name: string;
  readonly layout: Layout;
  /**
   * Its rows, which can be read once; those of a batch are overwritten by the next.
   *
   * @param width numbers of each row
   * @throws RowcastError for an invalid file
   */
  rows(memory: BatchMemory | undefined, width: number): AsyncGenerator<BatchRows>;
  close(): void;
}

export interface RowsOptions extends OpenOptions {
  /** Columns that must not be missed, in records that name their own. */
  named: readonly string[];
  /** The columns that are needed, by those that the file has. */
  choose: (names: readonly string[], file: string) => readonly string[];
}

/** A batch with all that is made of it fits into the cache of a processor. */
const BATCH_BYTES = 1 << 18;

/** Opens a file of which only some columns are needed. @throws RowcastError as `openRecords` */
export async function openRows(file: string, options: RowsOptions, read: RowsSoFar): Promise<RowsFile> {
  const records = await openRecords(file, { ...options, batchBytes: () => BATCH_BYTES });
  const { name, layout, batches } = records;
  return {
    name,
    layout,
    async *rows(memory, width) {
      const columns = new BatchColumns(layout, memory);
      read.malformed.begin(records, read.rows);
      for await (const batch of batches) {
        const { fields, values } = columns.place(batch, width);
        read.malformed.add(fields.faults, batch);
        read.rows += fields.rows;
        yield { fields, values, numberOf: rowNumbers(batch, fields) };
        records.release(batch.end.offset);
      }
      read.malformed.end(read.rows);
    },
    close: () => records.close(),
  };
}

function rowNumbers(batch: Batch, { faults }: Fields): (row: number) => number {
  const first = batch.start.row;
  if (faults.size === 0) return row => first + row;
  let next = first;
  const numbers: number[] = [];
  for (const [index, kind] of batch.kinds.entries()) {
    if (kind === RecordKind.blank) continue;
    if (!faults.has(index)) numbers.push(next);
    next++;
  }
  return row => numbers[row] ?? first;
}
