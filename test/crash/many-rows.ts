import { seed } from '../support/random-tests.ts';
import { csv, history } from '../support/service/history.ts';

/** A CSV of this many rows for the report `one`; those whose ids begin with `malformed` are that. */
export function manyRows(count: number, malformed = '777'): string {
  const [header = [], ...rows] = history({ rows: 2000, seed });
  const rowOf = (row: number): string[] => [`${row}`, ...(rows[row % rows.length] ?? []).slice(1)];
  const text = csv([header, ...Array.from({ length: count }, (_, row) => rowOf(row))]);
  return text.replaceAll(`\n${malformed}`, '\n"7"7');
}
