import { random } from '../../../fixtures/random.ts';
import { writeRow } from '../../../src/base/write-row.ts';

/** A CSV whose rows hardly compress, and of which some are rejected. Some of its texts have several lines. */
export function largeRows(rows: number): string {
  const { unit } = random(7);
  const lines = [writeRow(['id', 'monthly amount', 'plan', 'note'])];
  for (let row = 1; row <= rows; row++) {
    const noise = Array.from({ length: 24 }, () => unit().toString(36).slice(2, 12)).join(
      row % 5 === 0 ? '\n' : '',
    );
    const amount = row % 97 === 0 ? 'unknown' : `${row % 90}.5`;
    lines.push(writeRow([`${row}`, amount, row % 3 === 0 ? 'Basic' : 'Plus', noise]));
  }
  return lines.join('');
}
