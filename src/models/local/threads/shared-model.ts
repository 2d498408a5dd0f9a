import { masksOf } from '../../model/engine.ts';
import type { StoredModel } from '../../model/stored-model.ts';
import type { LeafMasks } from '../../model/trees/leaf-masks.ts';

/** A model for threads, which share its memory and the masks that are computed of it once. */
export interface SharedModel {
  model: StoredModel;
  masks: LeafMasks | undefined;
}

export function sharedModel(model: StoredModel): SharedModel {
  return inSharedMemory({ model, masks: masksOf(model.predictor) });
}

type NumberArray = Float64Array | Int32Array | Uint16Array | Uint8Array;

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
  value instanceof Int32Array ||
  value instanceof Uint16Array ||
  value instanceof Uint8Array;

function copyOf(array: NumberArray): NumberArray {
  const memory = new SharedArrayBuffer(array.byteLength);
  new Uint8Array(memory).set(new Uint8Array(array.buffer, array.byteOffset, array.byteLength));
  if (array instanceof Float64Array) return new Float64Array(memory);
  if (array instanceof Int32Array) return new Int32Array(memory);
  return array instanceof Uint16Array ? new Uint16Array(memory) : new Uint8Array(memory);
}
