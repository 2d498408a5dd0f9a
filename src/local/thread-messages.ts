import type { AppendedOptions } from '../formats/csv/appended-columns.ts';
import type { Batch } from '../formats/csv/batch.ts';
import type { LayoutData } from '../formats/format.ts';
import type { StoredModel } from '../reports/model/stored-model.ts';
import type { FeatureColumn } from '../scoring/feature-columns.ts';
import type { Scored } from '../scoring/scorer.ts';
import type { ThreadError } from '../thread-error.ts';

/** What the batches of one input have in common, as plain data. */
export interface InputData {
  layout: LayoutData;
  features: readonly FeatureColumn[];
  nulls: readonly string[];
  appended: AppendedOptions;
  model: StoredModel;
}

/** What a scoring thread is asked. An input is opened before its first batch, and closed after its last. */
export type ThreadRequest =
  | { kind: 'open'; input: number; data: InputData }
  | { kind: 'score'; input: number; id: number; batch: Batch }
  | { kind: 'close'; input: number };

/** What it answers: that it is ready, and one outcome for each batch. */
export type ThreadResponse =
  | { kind: 'ready' }
  | { kind: 'scored'; id: number; scored: Scored }
  | { kind: 'failed'; id: number; failure: ThreadError };
