import type { LearnedColumn } from '../reports/model/column-encoder.ts';
import type { ColumnReader } from './column-reader.ts';
import { LevelColumn } from './level-column.ts';
import { NumberColumn } from './number-column.ts';
import { OtherColumn } from './other-column.ts';

/**
 * Reads values as the service does that gets them as JSON: `encodeValue` decides by the column's type whether a field is
 * a number or a string, and `encoderOf` what the model makes of it. The common ones are read from their bytes.
 *
 * @param type of the column, as `FeatureColumn` has it
 */
export function readerOf(column: LearnedColumn, type: string | undefined): ColumnReader {
  const other = new OtherColumn(column, type);
  if (column.type === 'numerical') return new NumberColumn(column.notation, other);
  if (column.type === 'categorical' && type === 'categorical') return new LevelColumn(column, other);
  return other;
}
