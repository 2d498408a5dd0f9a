import { COMMAS } from '../../base/parse-records.ts';
import type { StoredBytes } from '../../base/text-of-file.ts';
import type { WrittenColumns } from '../format.ts';
import type { EncodedGroupColumn } from '../group-encoding.ts';
import type { ByteSource } from '../records/byte-source.ts';
import { copiedOf } from './encoder.ts';
import type { FileColumn } from './footer/file-column.ts';
import { openParquet, type ParquetFile } from './footer/parquet-file.ts';
import { parquetFileOf } from './parquet-layout.ts';
import { ParquetText } from './text/parquet-text.ts';
import { ParquetEncoder } from './writing/file-encoder.ts';

/** Bytes that are compared at once. */
const PIECE_BYTES = 1 << 20;

/**
 * Compares a file with what a run writes of the values that are in it, byte for byte: its columns are read and encoded
 * again, one group after the other, and those that a run copies are compared with the input.
 *
 * @returns an offset before bytes that differ, undefined if none do
 * @throws RowcastError `bad_parquet`, `unreadable_input`
 */
export async function compareWritten(
  { name, stored }: ByteSource,
  { input, own, keep, rename }: WrittenColumns,
): Promise<number | undefined> {
  if (stored === undefined) throw new Error('Parquet is a file');
  const file = await openParquet(stored, name);
  const ofInput = parquetFileOf(input);
  const copied = ofInput && copiedOf(ofInput, { keep, rename });
  const read = file.columns.slice(copied?.columns.length ?? 0);
  if (read.length === 0 || read.some(({ type }) => type.is !== 'text' && type.is !== 'double')) return 0;
  const areAppended = copied === undefined ? own : 0;
  const columns = read.map((column, index) => encodedColumn(column, index >= areAppended));
  const encoder = new ParquetEncoder({ columns, nulls: new Set(), file: name, dialect: COMMAS, copied });
  const hasGroups = copied === undefined || haveSameRows(file, copied.file);
  if (!hasGroups) return 0;
  const written = comparedBytes(stored);
  await written.expect(encoder.start);
  const notes: string[] = [];
  for await (const text of new ParquetText(file, read, 'csv').ofGroups()) {
    const note = await encoder.group(text, notes, written.expect);
    if (note !== undefined) notes.push(note);
    if (written.differs !== undefined) return written.differs;
  }
  for (const part of encoder.end(notes)) await written.expect(part);
  return written.end();
}

const haveSameRows = ({ groups }: ParquetFile, other: ParquetFile): boolean =>
  groups.length === other.groups.length &&
  groups.every(({ rows }, index) => rows === other.groups[index]?.rows);

/** Compares the bytes of a file with others, which are expected in order. */
function comparedBytes(stored: StoredBytes) {
  let [at, size] = [0, 0];
  let pending: Uint8Array[] = [];
  let differs: number | undefined;
  const compare = async (): Promise<void> => {
    const expected = Buffer.concat(pending, size);
    const [from, to] = [at, at + size];
    [at, size, pending] = [to, 0, []];
    if (differs !== undefined || expected.length === 0) return;
    const isThere = to <= stored.size && (await stored.read(from, to)).equals(expected);
    if (!isThere) differs = from;
  };
  return {
    /** The offset of a piece in which they differ. */
    get differs() {
      return differs;
    },
    async expect(bytes: Uint8Array): Promise<void> {
      pending.push(bytes);
      size += bytes.length;
      if (size >= PIECE_BYTES) await compare();
    },
    /** @returns where they differ */
    async end(): Promise<number | undefined> {
      await compare();
      return differs ?? (at === stored.size ? undefined : at);
    },
  };
}

const encodedColumn = ({ name, type }: FileColumn, isAppended: boolean): EncodedGroupColumn =>
  type.is === 'text' ? { name, type: 'text' } : { name, type: 'number', isVaried: isAppended };
