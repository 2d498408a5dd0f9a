import type { AppendedOptions } from '../../../formats/appended.ts';
import type { LayoutData } from '../../../formats/format.ts';
import type { Batch } from '../../../formats/records/batch.ts';
import type { Counting } from '../../../scoring/counting/counted-column.ts';
import type { FeatureColumn } from '../../../scoring/feature-columns.ts';
import type { StoredModel } from '../../model/compiled-model.ts';
import { preparedOf } from '../../model/engine.ts';
import type { PreparedTrees } from '../../model/trees/kernel-scores.ts';

/** What the batches of one input have in common, as plain data. */
export interface InputData {
  layout: LayoutData;
  features: readonly FeatureColumn[];
  nulls: readonly string[];
  appended: AppendedOptions;
  counting: Counting | undefined;
}

export interface BatchData {
  batch: Batch;
  /** Shared memory for the records with the appended fields: see `RecordScorer.score`. */
  into: Uint8Array;
}

/**
 * What a scoring thread is asked. An input is opened before its first batch, and closed after its last; only batches
 * are answered.
 */
export type ThreadRequest =
  | { kind: 'open'; input: number; data: InputData; shared: SharedModel }
  | ({ kind: 'score'; input: number } & BatchData)
  | { kind: 'close'; input: number };

/** A model for threads, which share its memory and what is computed of its trees once. */
export interface SharedModel {
  model: StoredModel;
  prepared: PreparedTrees | undefined;
}

export function sharedModel(model: StoredModel): SharedModel {
  return inSharedMemory({ model, prepared: preparedOf(model.predictor) });
}

type NumberArray = Float64Array | Float32Array | Int32Array | Uint16Array | Uint8Array;

/** Copies plain data with all its arrays of numbers in shared memory, which structured cloning does not copy. */
function inSharedMemory<T>(data: T): T {
  const share = (value: unknown): unknown => {
    if (isNumberArray(value)) return copyOf(value);
    if (Array.isArray(value)) return value.map(share);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, own]) => [name, share(own)]));
  };
  return share(data) as T; // of the same shape
}

const isNumberArray = (value: unknown): value is NumberArray =>
  value instanceof Float64Array ||
  value instanceof Float32Array ||
  value instanceof Int32Array ||
  value instanceof Uint16Array ||
  value instanceof Uint8Array;

function copyOf(array: NumberArray): NumberArray {
  const memory = new SharedArrayBuffer(array.byteLength);
  new Uint8Array(memory).set(new Uint8Array(array.buffer, array.byteOffset, array.byteLength));
  if (array instanceof Float64Array) return new Float64Array(memory);
  if (array instanceof Float32Array) return new Float32Array(memory);
  if (array instanceof Int32Array) return new Int32Array(memory);
  return array instanceof Uint16Array ? new Uint16Array(memory) : new Uint8Array(memory);
}
