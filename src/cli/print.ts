import { openSink } from '../io/sink.ts';

/**
 * Writes a command's result to stdout.
 *
 * @throws ClosedPipe when its reader has gone
 */
export async function printText(text: string): Promise<void> {
  const stdout = await openSink({ kind: 'stdout' }, 'stdout');
  await stdout.write(Buffer.from(text));
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
