import { noValues } from '../../base/contract/predictions.ts';
import type { Batch } from './batch.ts';
import type { Fields, Without } from './fields.ts';

/** The bytes of `NaN`. */
const NAN = Buffer.of(0x4e, 0x61, 0x4e);

/**
 * Finds fields in the text of a file that says what its columns are: in one of floats, NaN is a missing value. A row without any
 * value cannot be scored, as a record of a CSV, but is one: a copy of the file has it.
 *
 * @param types of the columns; by default nothing says what they are
 * @param hasOthers whether such a row has a value in a column that is not in the text
 */
export function typedFieldReader(
  read: (batch: Batch) => Fields,
  types: readonly (string | undefined)[] | undefined,
  hasOthers: boolean,
): (batch: Batch) => Fields {
  const floats = types?.flatMap((type, column) => (type === 'float' ? [column] : [])) ?? [];
  if (types === undefined) return read;
  return batch => {
    const fields = read(batch);
    if (floats.length > 0 && fields.bytes.includes(NAN)) for (const column of floats) clear(fields, column);
    return { ...fields, rowsWithout: hasOthers ? undefined : () => withoutValue(fields) };
  };
}

function withoutValue({ rows, width, starts, ends }: Fields): ReadonlyMap<number, Without> {
  const found = new Map<number, Without>();
  for (let row = 0, first = 0; row < rows; row++, first += width) {
    let at = first;
    while (at < first + width && starts[at] === ends[at]) at++;
    if (at === first + width) found.set(row, noValues);
  }
  return found;
}

function clear({ rows, width, bytes, starts, ends }: Fields, column: number): void {
  for (let row = 0, at = column; row < rows; row++, at += width) {
    const start = starts[at] ?? 0;
    if ((ends[at] ?? 0) - start !== NAN.length || bytes.compare(NAN, 0, NAN.length, start, ends[at]) !== 0)
      continue;
    starts[at] = 0;
    ends[at] = 0;
  }
}
