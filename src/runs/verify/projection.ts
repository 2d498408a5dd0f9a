import type { Dialect } from '../../base/parse-records.ts';
import { keptContent } from '../../formats/csv/kept-records.ts';
import type { LocatedRecord } from './record-cursor.ts';

/** What OUTPUT has of a row of INPUT. */
export type Projection = (row: LocatedRecord) => LocatedRecord;

/** @param kept indices of the columns that OUTPUT has; undefined for all */
export function projectionOf(kept: readonly number[] | undefined, dialect: Dialect): Projection {
  if (kept === undefined) return row => row;
  return ({ bytes, start, contentEnd, row }) => {
    const content = keptContent(bytes.subarray(start, contentEnd), dialect, kept);
    return { bytes: content, start: 0, contentEnd: content.length, row };
  };
}
