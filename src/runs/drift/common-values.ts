import { sanitize } from '../../base/sanitize.ts';
import { encoderOf, type Unrecognized, unrecognizedOf } from '../../formats/columns/column-encoder.ts';
import { withoutNulls } from '../../formats/columns/without-nulls.ts';
import type { Layout } from '../../formats/format.ts';
import { encodeValue } from '../../formats/json/write-bytes.ts';
import type { Batch } from '../../formats/records/batch.ts';
import { textOf } from '../../formats/records/fields.ts';
import { INPUT_START } from '../../formats/records/position.ts';
import type { CountedColumn } from '../../scoring/counting/counted-column.ts';

/** Values that are shown, and characters of each. */
const MAX_VALUES = 3;
const MAX_CHARACTERS = 40;

export interface ReadRecords {
  layout: Pick<Layout, 'records' | 'fieldReader'>;
  /** Values treated as missing, in addition to the empty one. */
  nulls: readonly string[];
}

/**
 * Describes the most common values of a kind in some records of an input.
 *
 * @param records whole records
 * @returns undefined if there is none
 */
export function describeCommonValues(
  records: Buffer,
  column: CountedColumn,
  kind: Unrecognized,
  { layout, nulls }: ReadRecords,
): string | undefined {
  const counts = new Map<string, number>();
  const readFields = layout.fieldReader();
  const empty = withoutNulls(nulls);
  for (const batch of batchesOf(records, layout)) {
    const fields = readFields(batch);
    empty(fields, column.index);
    for (let row = 0; row < fields.rows; row++) {
      const text = textOf(fields, row, column.index);
      counts.set(text, (counts.get(text) ?? 0) + 1);
    }
  }
  const isOfKind = recognizer(column, kind);
  const found = [...counts].filter(([text]) => isOfKind(text)).sort((a, b) => b[1] - a[1]);
  if (found.length === 0) return undefined;
  const shown = found.slice(0, MAX_VALUES).map(([text]) => quoted(text));
  return found.length === 1 ? `the most common is ${shown[0]}` : `the most common are ${shown.join(', ')}`;
}

function recognizer(column: CountedColumn, kind: Unrecognized): (text: string) => boolean {
  const { learned, type } = column;
  if (learned === undefined) return () => false;
  const encode = encoderOf(learned);
  return text => {
    if (text === '') return false;
    const sent = JSON.parse(encodeValue(text, type));
    return unrecognizedOf(learned, sent, encode(sent)) === kind;
  };
}

/** In quotes, so that spaces can be seen. */
function quoted(text: string): string {
  const short = text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS - 1)}…` : text;
  return sanitize(JSON.stringify(short));
}

function* batchesOf(records: Buffer, layout: Pick<Layout, 'records'>): Generator<Batch> {
  const most = Number.MAX_SAFE_INTEGER;
  const reader = layout.records({
    file: '',
    start: INPUT_START,
    end: undefined,
    batchRows: most,
    batchBytes: () => most,
    rowOverhead: 0,
    maxRecordBytes: most,
  });
  yield* reader.push(records);
  yield* reader.end();
}
