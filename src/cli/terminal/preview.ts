import { open } from 'node:fs/promises';
import { sanitize } from '../../base/sanitize.ts';
import { readTable, type Table } from '../../formats/read-table.ts';
import { alignColumns } from './print.ts';

export interface PreviewOptions {
  input: string;
  output: string;
  delimiter?: string | undefined;
  quote?: string | undefined;
}

const HEAD_BYTES = 64 << 10;
const ROWS = 5;
const CELL = 26;

/**
 * Formats the first rows of a scored CSV: the first column and the appended ones.
 *
 * @throws RowcastError if a file does not begin as CSV
 */
export async function preview(options: PreviewOptions): Promise<string> {
  const { header: names } = await readHead(options.input, options);
  const { header, rows } = await readHead(options.output, options);
  const cells = [header, ...rows.slice(0, ROWS)].map(row => [row[0] ?? '', '…', ...row.slice(names.length)]);
  return alignColumns(cells.map(row => row.map(cell => sanitize(cell).slice(0, CELL))));
}

/** Reads the complete lines at the beginning of a file as a table. */
async function readHead(file: string, options: PreviewOptions): Promise<Table> {
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    const whole = bytesRead < HEAD_BYTES ? bytesRead : buffer.lastIndexOf('\n') + 1;
    return readTable(buffer.subarray(0, whole), { ...options, file });
  } finally {
    await handle.close();
  }
}
