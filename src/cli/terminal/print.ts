import { codecOfName } from '../../storage/codecs/codecs.ts';
import { replaceFileNow } from '../../storage/local/atomic-write.ts';
import { partialOf } from '../../storage/local/sibling-path.ts';
import { stdout } from '../../storage/standard-streams.ts';
import type { Target } from '../../storage/target.ts';

/**
 * Writes a command's result to stdout.
 *
 * @throws ClosedPipe when its reader has gone
 */
export async function printText(text: string): Promise<void> {
  const sink = await stdout.open();
  await sink.write(Buffer.from(text));
}

/**
 * Writes a small file: it appears whole or not at all; a pipe or a device is written directly.
 *
 * @param stop aborted when nobody waits for the reader of a FIFO any more
 * @throws RowcastError `unwritable_output`
 */
export async function writeWhole(target: Target, text: string, stop: AbortSignal): Promise<void> {
  const sink = await target.open(stop);
  await sink.write(Buffer.from(text));
  await sink.close();
}

/**
 * Writes a small file before it returns, for a process that is about to end. A write of the same file that is still in
 * progress does not mix with it.
 *
 * @throws what fs throws
 */
export function writeFileNow(path: string, text: string): void {
  replaceFileNow(path, codecOfName(path).compressNow(Buffer.from(text)), partialOf(path));
}

/** Rows of cells as lines of aligned columns, two blanks between them. */
export function alignColumns(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows)
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, cell.length);
  return rows
    .map(
      row =>
        `${row
          .map((cell, column) => cell.padEnd(widths[column] ?? 0))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('');
}
