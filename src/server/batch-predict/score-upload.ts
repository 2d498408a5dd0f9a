import { liveSource } from '../../formats/records/live-source.ts';
import { type ScoredStream, scoredStream } from '../../scoring/scored-stream.ts';
import type { Predictor } from '../predict/predictor.ts';
import type { Limits } from '../service-limits.ts';
import type { ServiceThreads } from '../threads/service-threads.ts';
import { uploadScorer } from './upload-scorer.ts';
import type { UploadTurns } from './upload-turns.ts';

/** The maximum size of a batch; the result does not depend on it. */
const BATCH_BYTES = 1 << 20;
/** Room for a few batches of usual rows; a larger batch is scored alone. */
const WINDOW_BYTES = 1 << 20;

export interface ScoreUploadOptions {
  limits: Pick<Limits, 'recordBytes' | 'columns'>;
  /** Rows per batch, unless the model's work limits allow fewer. */
  batchRows: number;
  turns: UploadTurns;
  threads: ServiceThreads;
}

/**
 * Scores a CSV by a model of this service.
 *
 * @throws RowcastError for an invalid CSV, such as `too_many_columns`
 */
export async function scoreUpload(
  csv: AsyncIterable<Buffer>,
  { model, work }: Pick<Predictor, 'model' | 'work'>,
  { limits, batchRows, ...scoring }: ScoreUploadOptions,
): Promise<ScoredStream> {
  const scorer = uploadScorer({ model, ...scoring, batchRows: Math.min(batchRows, work.sliceRows) });
  const options = {
    report: '',
    batchBytes: BATCH_BYTES,
    maxRecordBytes: limits.recordBytes,
    maxColumns: limits.columns,
    nulls: [],
    allowMissing: false,
    prediction: false,
  };
  const source = { ...liveSource('upload', csv), contentName: 'upload.csv' };
  return scoredStream(scorer, source, options, { windowBytes: WINDOW_BYTES });
}
