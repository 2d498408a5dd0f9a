import { RowcastError } from '../../base/errors.ts';
import { liveSource } from '../../formats/records/live-source.ts';
import { type ScoredStream, scoredStream } from '../../scoring/scored-stream.ts';
import type { Predictor } from '../predict/predictor.ts';
import type { Limits } from '../service-limits.ts';
import type { ServiceThreads } from '../threads/service-threads.ts';
import type { Upload } from './multipart-form.ts';
import { parquetUpload } from './upload-name.ts';
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
 * Scores a CSV or JSON lines by a model of this service.
 *
 * @param upload its bytes, and a name that may tell its format
 * @throws RowcastError for an invalid file, such as `too_many_columns`; RequestError for Parquet
 */
export async function scoreUpload(
  { bytes, name }: Pick<Upload, 'bytes' | 'name'>,
  { model, report, work }: Pick<Predictor, 'model' | 'report' | 'work'>,
  { limits, batchRows, ...scoring }: ScoreUploadOptions,
): Promise<ScoredStream> {
  const scorer = uploadScorer({
    model,
    report,
    ...scoring,
    batchRows: Math.min(batchRows, work.sliceRows),
  });
  const values = {
    report: '',
    batchBytes: BATCH_BYTES,
    maxRecordBytes: limits.recordBytes,
    maxColumns: limits.columns,
    nulls: [],
    allowMissing: false,
    prediction: false,
  };
  const source = { ...liveSource('upload', bytes), contentName: name };
  return scoredStream({ values, windowBytes: WINDOW_BYTES }, source, scorer).catch(error => {
    throw error instanceof RowcastError && error.code === 'needs_file' ? parquetUpload() : error;
  });
}
