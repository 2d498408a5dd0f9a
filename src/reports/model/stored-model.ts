import type { LearnedColumn } from './column-encoder.ts';
import type { CompiledModel } from './compiled-model.ts';
import type { EngineModel } from './engine.ts';
import { type ModelUse, ownModel } from './own-model.ts';

/** A model that was read and validated, as plain data that can be passed to threads. */
export interface StoredModel {
  columns: readonly LearnedColumn[];
  classes: readonly string[];
  /** A model in our own format, or the file of one of the older engine. */
  predictor: CompiledModel | Uint8Array;
}

/** Prepares a model to predict. @throws RowcastError `engine_failed` */
export async function engineOf({ predictor }: StoredModel, use: ModelUse = {}): Promise<EngineModel> {
  if (!(predictor instanceof Uint8Array)) return ownModel(predictor, use);
  // Loads WebAssembly.
  const { loadEngine } = await import('./engine.ts');
  return (await loadEngine()).load(Buffer.from(predictor));
}
