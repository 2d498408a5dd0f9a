import type { BatchMemory } from '../../base/kernel/batch-memory.ts';
import { isBlank } from '../values/coerce.ts';
import type { CategoricalColumn } from './column-encoder.ts';
import type { ReadRows } from './kernel-column.ts';
import { levelTable } from './level-table.ts';
import { spellingsOf } from './other-spellings.ts';

/**
 * Reads a column's levels by their bytes. It leaves out other fields that begin or end with a character that may be a space,
 * because blank ones are missing, and others may be levels without these spaces; and those that may be other spellings of a level.
 */
export function levelRows(column: CategoricalColumn, memory: BatchMemory): ReadRows {
  const hasOthers = column.others === 'merged' || column.targets !== undefined;
  const unknown = hasOthers ? column.levels.length + 1 : Number.NaN;
  // If a level is listed twice, the last number counts. A lone surrogate cannot be in a valid CSV.
  const numbers = new Map(column.levels.map((level, i) => [level, i + 1]));
  // A blank value is missing, even if a level is.
  const levels = [...numbers].filter(([level]) => Buffer.from(level).toString() === level && !isBlank(level));
  const spellings = spellingsOf(column.levels);
  const mayBeAny =
    levels.some(([level]) => level !== level.trim()) ||
    (spellings !== undefined && spellings.ending === undefined);
  const left = mayBeAny ? LEAVES_ALL : spellings?.ending === '.0' ? LEAVES_DECIMALS : 0;
  const { slots, isWhole, texts, starts } = levelTable(levels.map(([level]) => Buffer.from(level)));
  const addresses = [
    ...[memory.keep(slots), slots.length - 1, Number(isWhole)],
    ...[memory.keep(texts.bytes), memory.keep(starts)],
    ...[memory.keep(Float64Array.from(levels, ([, number]) => number)), left],
  ];
  // A `Levels` of assembly/read-levels.ts.
  const table = new Float64Array(LEVELS_BYTES / Float64Array.BYTES_PER_ELEMENT);
  new Int32Array(table.buffer).set(addresses);
  table[table.length - 1] = unknown;
  const tableAt = memory.keep(table);
  return (kernel, { bytes, starts, ends, fieldStep, values, valueStep }, first, rows) =>
    kernel.readLevels(bytes, starts, ends, fieldStep, values, valueStep, first, rows, tableAt);
}

const LEVELS_BYTES = 40;
/** As in assembly/read-levels.ts. */
const LEAVES_ALL = 1;
const LEAVES_DECIMALS = 2;
