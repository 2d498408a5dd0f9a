import type { Batch } from './batch.ts';
import type { Fields } from './fields.ts';

/** The bytes of `NaN`. */
const NAN = Buffer.of(0x4e, 0x61, 0x4e);

/**
 * Finds fields in the text of a file that says what its columns are: in one of floats, NaN is a missing value.
 *
 * @param types of the columns; by default nothing says what they are
 */
export function typedFieldReader(
  read: (batch: Batch) => Fields,
  types: readonly (string | undefined)[] | undefined,
): (batch: Batch) => Fields {
  const floats = types?.flatMap((type, column) => (type === 'float' ? [column] : [])) ?? [];
  if (floats.length === 0) return read;
  return batch => {
    const fields = read(batch);
    if (fields.bytes.includes(NAN)) for (const column of floats) clear(fields, column);
    return fields;
  };
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
