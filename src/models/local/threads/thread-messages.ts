import type { AppendedOptions } from '../../../formats/appended.ts';
import type { LayoutData } from '../../../formats/format.ts';
import type { Batch } from '../../../formats/records/batch.ts';
import type { Counting } from '../../../scoring/counting/counted-column.ts';
import type { FeatureColumn } from '../../../scoring/feature-columns.ts';
import type { SharedModel } from './shared-model.ts';

/** What the batches of one input have in common, as plain data. */
export interface InputData {
  layout: LayoutData;
  features: readonly FeatureColumn[];
  nulls: readonly string[];
  appended: AppendedOptions;
  counting: Counting | undefined;
}

/** A batch to score. */
export interface BatchData {
  batch: Batch;
  /** Shared memory for the records with the appended fields: see `RecordScorer.score`. */
  into: Uint8Array;
}

/**
 * What a scoring thread is asked. An input is opened before its first batch, and closed after its last; only batches are
 * answered.
 */
export type ThreadRequest =
  | { kind: 'open'; input: number; data: InputData; shared: SharedModel }
  | ({ kind: 'score'; input: number } & BatchData)
  | { kind: 'close'; input: number };
