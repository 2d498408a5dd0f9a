import type { LearnedColumn } from '../../formats/columns/column-encoder.ts';
import type { CompiledModel } from './compiled-model.ts';

/** A model that was read and validated, as plain data that can be passed to threads. */
export interface StoredModel {
  /** Target-encoded columns have their targets in `predictor`, and merged others here instead. */
  columns: readonly LearnedColumn[];
  classes: readonly string[];
  predictor: CompiledModel;
}
