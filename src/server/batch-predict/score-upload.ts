import type { UploadAccounts } from '../../base/contract/accounts-trailer.ts';
import { liveSource } from '../../formats/records/live-source.ts';
import { dataCounts } from '../../runs/drift/data-counts.ts';
import type { MergedPart } from '../../scoring/merge/merged-part.ts';
import { prepare } from '../../scoring/prepare.ts';
import { stages } from '../../scoring/stages.ts';
import type { Limits } from '../http/limits.ts';
import type { Predictor } from '../predict/predictor.ts';
import type { ServiceThreads } from '../threads/service-threads.ts';
import { uploadScorer } from './upload-scorer.ts';
import type { UploadTurns } from './upload-turns.ts';

/** The maximum size of a batch; the result does not depend on it. */
const BATCH_BYTES = 1 << 20;
/** Room for a few batches of usual rows; a larger batch is scored alone. */
const WINDOW_BYTES = 1 << 20;
const PREFIX = 'probability';

export interface ScoreUploadOptions {
  limits: Pick<Limits, 'recordBytes' | 'columns'>;
  /** Rows per batch, unless the model's work limits allow fewer. */
  batchRows: number;
  turns: UploadTurns;
  threads: ServiceThreads;
  /** Called after the last part with how many values the model does not recognize. */
  onCounted?: (values: Pick<UploadAccounts, 'mismatched' | 'unseen'>) => void;
}

/**
 * Scores a CSV by a local model: the stages of `scoring`, with the model in the place of a service.
 *
 * @throws RowcastError for an invalid CSV, such as `too_many_columns`
 */
export async function* scoreUpload(
  csv: AsyncIterable<Buffer>,
  { model, work }: Pick<Predictor, 'model' | 'work'>,
  { limits, batchRows, onCounted, ...scoring }: ScoreUploadOptions,
): AsyncGenerator<MergedPart> {
  const scorer = uploadScorer({ model, ...scoring });
  const options = {
    report: '',
    batchRows: Math.min(batchRows, work.sliceRows),
    batchBytes: BATCH_BYTES,
    maxRecordBytes: limits.recordBytes,
    maxColumns: limits.columns,
    nulls: [],
    allowMissing: false,
    prefix: PREFIX,
    prediction: false,
  };
  const plan = await prepare(liveSource('upload', csv), options, scorer);
  const { layout, rest } = plan;
  const data = dataCounts(plan, undefined, { isDetailed: false, earlier: undefined });
  const counting = data?.counting;
  for await (const part of stages(plan, {
    scorer,
    rest,
    start: layout.start,
    windowBytes: WINDOW_BYTES,
    counting,
  })) {
    if (part.tally !== undefined) data?.tally.add(part.tally);
    yield part;
  }
  if (data !== undefined) onCounted?.(data.unrecognized());
}
