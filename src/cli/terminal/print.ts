import { stdout } from '../../storage/streams.ts';

/**
 * Writes a command's result to stdout.
 *
 * @throws ClosedPipe if the reader closed the pipe
 */
export async function printText(text: string): Promise<void> {
  const sink = await stdout.open();
  await sink.write(Buffer.from(text));
}

/** Writes a value to stdout as JSON: on one line, unless it is indented. @throws as `printText` */
export const printJson = (value: unknown, indent?: number): Promise<void> =>
  printText(`${JSON.stringify(value, null, indent)}\n`);

/** Formats rows of cells as aligned columns, two spaces apart. */
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
