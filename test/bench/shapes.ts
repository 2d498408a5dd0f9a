import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';

/** An input that differs from the usual one in one respect. */
export interface Shape {
  name: string;
  header: readonly string[];
  row: (row: number) => readonly string[];
  ending?: string;
}

const names = (count: number): string[] => Array.from({ length: count }, (_, at) => `column_${at}`);
const plans = ['Month-to-month', 'One year', 'Two year', 'Mailed check', 'Fiber optic'];

/** Every third value is a number, the others are words. */
const value = (row: number, column: number): string =>
  column % 3 === 0
    ? String(((row + 7) * (column + 11)) % 9973)
    : (plans[(row + column) % plans.length] ?? '');

const rowOf =
  (columns: number, write: (value: string) => string = text => text) =>
  (row: number): string[] =>
    Array.from({ length: columns }, (_, column) => write(value(row, column)));

const text = 'lorem ipsum dolor sit amet, '.replaceAll(',', '').repeat(80).slice(0, 2048);

export const shapes: readonly [Shape, ...Shape[]] = [
  { name: '20 columns', header: names(20), row: rowOf(20) },
  { name: '100 columns', header: names(100), row: rowOf(100) },
  { name: '3 columns', header: names(3), row: rowOf(3) },
  { name: 'every field quoted', header: names(20), row: rowOf(20, field => `"${field}"`) },
  { name: 'text of 2 KB', header: names(3), row: row => [...rowOf(2)(row), text] },
  { name: 'UTF-8 beyond ASCII', header: names(20), row: rowOf(20, field => `Größe ${field} – 日本`) },
  { name: 'CRLF', header: names(20), row: rowOf(20), ending: '\r\n' },
];

/** Writes `rows` rows. */
export async function writeShape(
  { header, row, ending = '\n' }: Shape,
  rows: number,
  path: string,
): Promise<void> {
  const file = createWriteStream(path);
  let part = header.join(',') + ending;
  for (let index = 0; index < rows; index++) {
    part += row(index).join(',') + ending;
    if (part.length < 1 << 20) continue;
    if (!file.write(part)) await once(file, 'drain');
    part = '';
  }
  file.end(part);
  await finished(file);
}
