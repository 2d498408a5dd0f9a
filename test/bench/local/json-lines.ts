import { createReadStream, createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { parse } from 'csv-parse';
import { bin } from '../../support/rowcast.ts';
import type { Command } from '../runs.ts';
import type { Training } from './reports.ts';

/** Writes a CSV as JSON lines, with numbers where there are digits. */
export async function toJsonLines(path: string): Promise<string> {
  const written = path.replace(/csv$/, 'jsonl');
  const rows = createReadStream(path).pipe(parse({ columns: true }));
  await pipeline(rows, linesOf, createWriteStream(written));
  return written;
}

async function* linesOf(rows: AsyncIterable<Record<string, string>>): AsyncGenerator<string> {
  for await (const row of rows) yield `${JSON.stringify(withNumbers(row))}\n`;
}

/** A row with numbers where there are digits. */
const withNumbers = (row: Record<string, string>): Record<string, string | number> =>
  Object.fromEntries(
    Object.entries(row).map(([name, text]) => [name, /^\d+(\.\d+)?$/.test(text) ? Number(text) : text]),
  );

/** rowcast with the same rows in two formats. */
export function formats(
  { home, id }: Pick<Training, 'home' | 'id'>,
  inputs: { csv: string; jsonl: string },
  outputOf: (format: string) => string,
): Map<string, Command> {
  const command = (format: string, input: string): Command => ({
    file: process.execPath,
    args: [bin, 'score', input, '--report', id, '-o', outputOf(format)],
    env: { ROWCAST_HOME: home },
  });
  return new Map([
    ['rowcast, CSV', command('csv', inputs.csv)],
    ['rowcast, JSON lines', command('jsonl', inputs.jsonl)],
  ]);
}
