import * as z from 'zod';
import type { PredictionType } from '../../base/contract/predictions.ts';
import { RowcastError } from '../../base/errors.ts';
import type { LearnedColumn } from '../../formats/columns/column-encoder.ts';
import { buffersOf, type CompiledModel, compileModel, type StoredModel } from './compiled-model.ts';
import { description, descriptionFile } from './model-format.ts';
import { zipEntry } from './zip-entry.ts';

/** A model, and its approximate size in memory, in bytes. */
export type ReadModel = StoredModel & { bytes: number };

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
    const read = description.parse(JSON.parse(text.toString()));
    const { columns, predictor: spec } = read;
    const prediction: PredictionType =
      'prediction' in read ? read.prediction : { kind: 'distribution', classes: read.classes };
    const predictor = compileModel(spec, columns, prediction, 'output' in read ? read.output : undefined);
    return {
      columns: columns.map(withoutTargets),
      prediction,
      predictor,
      bytes: bytesOf(predictor, columns),
    };
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

function bytesOf(predictor: CompiledModel, columns: readonly LearnedColumn[]): number {
  const levels = columns.flatMap(column => (column.type === 'categorical' ? column.levels : []));
  const numbers = buffersOf(predictor).reduce((sum, { byteLength }) => sum + byteLength, 0);
  return numbers + levels.reduce((sum, level) => sum + LEVEL_BYTES + 2 * level.length, 0);
}

function reasonOf(cause: unknown): string {
  if (cause instanceof z.ZodError) {
    const [issue] = cause.issues;
    const place = issue?.path.join('.');
    if (place === 'format') return `${descriptionFile} is not of a format that this version of rowcast reads`;
    return place ? `${descriptionFile}: wrong or missing ${place}` : `${descriptionFile} is not an object`;
  }
  return cause instanceof Error ? cause.message : String(cause);
}
