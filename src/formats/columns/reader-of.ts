import type { BatchMemory } from '../../base/kernel/batch-memory.ts';
import type { LearnedColumn } from './column-encoder.ts';
import type { ColumnReader } from './column-reader.ts';
import { FallbackColumn } from './fallback-column.ts';
import { JsonColumn } from './json-column.ts';
import { type AnyField, KernelColumn } from './kernel-column.ts';
import { levelRows } from './level-column.ts';
import { numberRows } from './number-column.ts';

/**
 * Reads values as the service does that gets them as JSON: `encodeValue` decides by the column's type whether a field is
 * a number or a string, and `encoderOf` what the model makes of it. The common ones are read from their bytes.
 *
 * @param type of the column, as `FeatureColumn` has it
 * @param memory of the kernel that reads the common fields; none of it while a batch is in use
 */
export function readerOf(
  column: LearnedColumn,
  type: string | undefined,
  memory: BatchMemory | undefined,
): ColumnReader {
  const other = new FallbackColumn(column, type);
  if (memory === undefined || (column.type === 'categorical' && type !== 'categorical')) return other;
  return inKernel(column, memory, other);
}

/** Reads values of JSON, as `JsonColumn` has them. */
export const jsonReaderOf = (column: LearnedColumn, memory: BatchMemory): ColumnReader =>
  inKernel(column, memory, new JsonColumn(column));

function inKernel(column: LearnedColumn, memory: BatchMemory, other: AnyField): ColumnReader {
  if (column.type === 'numerical') return new KernelColumn(numberRows(column.notation, memory), other);
  return column.type === 'categorical' ? new KernelColumn(levelRows(column, memory), other) : other;
}
