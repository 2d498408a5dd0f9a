import * as z from 'zod';
import { RowcastError } from '../../errors.ts';
import type { LearnedColumn } from './column-encoder.ts';
import { buffersOf, type CompiledModel, compileModel } from './compiled-model.ts';
import { description, descriptionFile } from './model-format.ts';
import { zipEntry } from './zip-entry.ts';

/** The contents of a model file; can be posted between threads. */
export interface ReadModel {
  /** Target-encoded columns have their targets in `compiled`, and merged others here instead. */
  columns: readonly LearnedColumn[];
  classes: readonly string[];
  /** Undefined for a model of the older engine, which reads its part of the file itself. */
  compiled: CompiledModel | undefined;
  /** Approximate size in memory. */
  bytes: number;
}

/** Bytes per level in its lookup table. */
const LEVEL_BYTES = 100;

/**
 * Reads and validates a model file. Takes a few seconds per million nodes.
 *
 * @throws RowcastError `damaged_model`
 */
export async function readModel(file: Uint8Array): Promise<ReadModel> {
  try {
    const text = zipEntry(Buffer.from(file.buffer, file.byteOffset, file.length), descriptionFile);
    if (text === undefined) throw new Error(`it has no ${descriptionFile}`);
    const described = description.parse(JSON.parse(text.toString()));
    const { columns, classes } = described;
    // The older engine's files are stored uncompressed, and it keeps them in memory in addition to its model.
    if (described.format === 1) return { columns, classes, compiled: undefined, bytes: 2 * file.length };
    const compiled = compileModel(described.predictor, columns, classes.length);
    return { columns: columns.map(withoutTargets), classes, compiled, bytes: bytesOf(compiled, columns) };
  } catch (cause) {
    throw new RowcastError('damaged_model', `the model file does not describe a model: ${reasonOf(cause)}`, {
      cause,
    });
  }
}

function withoutTargets(column: LearnedColumn): LearnedColumn {
  if (column.type !== 'categorical' || column.targets === undefined) return column;
  const { name, type, levels } = column;
  return { name, type, levels, others: 'merged' };
}

function bytesOf(compiled: CompiledModel, columns: readonly LearnedColumn[]): number {
  const levels = columns.flatMap(column => (column.type === 'categorical' ? column.levels : []));
  const numbers = buffersOf(compiled).reduce((sum, { byteLength }) => sum + byteLength, 0);
  return numbers + levels.reduce((sum, level) => sum + LEVEL_BYTES + 2 * level.length, 0);
}

function reasonOf(cause: unknown): string {
  if (cause instanceof z.ZodError) {
    const [issue] = cause.issues;
    const place = issue?.path.join('.');
    return place
      ? `${descriptionFile}: wrong or missing ${place}`
      : `${descriptionFile} is not an object of a known format`;
  }
  return cause instanceof Error ? cause.message : String(cause);
}
