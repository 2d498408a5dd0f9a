import { countRows } from '../../formats/csv/batch.ts';
import { afterHeader } from '../../formats/csv/header.ts';
import { readBatches, readHead } from '../../formats/csv/read-batches.ts';
import { RecordReader } from '../../formats/csv/record-reader.ts';
import { reportColumns } from '../../reports/report-columns.ts';
import type { MergedPart } from '../../runs/merged-part.ts';
import { chooseFeatures } from '../../scoring/feature-columns.ts';
import { Merger } from '../../scoring/merge/merge.ts';
import type { Limits } from '../http/limits.ts';
import type { Predictor } from '../predict/predictor.ts';
import { localPredictions } from './local-predictions.ts';

/** The maximum size of a batch; the result does not depend on it. */
const BATCH_BYTES = 1 << 20;
const PREFIX = 'probability';

export interface ScoreUploadOptions {
  limits: Pick<Limits, 'recordBytes' | 'columns'>;
  /** Rows per batch, unless the model's work limits allow fewer. */
  batchRows: number;
  /** Waits until a batch of this many rows may be scored. */
  nextTurn(rows: number): Promise<void>;
}

/**
 * Scores a CSV by a local model: the stages of `scoring/score.ts`, with the model in place of the requests.
 *
 * @throws RowcastError for an invalid CSV, such as `too_many_columns`
 */
export async function* scoreUpload(
  csv: AsyncIterable<Buffer>,
  { model, work }: Pick<Predictor, 'model' | 'work'>,
  { limits: { recordBytes, columns }, batchRows, nextTurn }: ScoreUploadOptions,
): AsyncGenerator<MergedPart> {
  const source = {
    name: 'upload',
    contentName: 'upload',
    isLive: true,
    chunks: csv[Symbol.asyncIterator](),
    checkUnchanged: async () => {},
  };
  const { header, rest } = await readHead(source, { maxRecordBytes: recordBytes, maxColumns: columns });
  const { names, dialect } = header;
  const report = { classes: [...model.classes], columns: reportColumns(model.columns) };
  const sent = chooseFeatures(header, report, {}, source.name);
  const merger = new Merger({ header, report, prefix: PREFIX, prediction: false });
  const answer = localPredictions({ model, sent, width: names.length, dialect });
  const records = new RecordReader({
    dialect,
    file: source.name,
    width: names.length,
    batchRows: Math.min(batchRows, work.sliceRows),
    batchBytes: () => BATCH_BYTES,
    rowOverhead: 0,
    maxRecordBytes: recordBytes,
    start: afterHeader(header),
  });

  for await (const batch of readBatches({ records, rest, source })) {
    await nextTurn(countRows(batch));
    yield* merger.merge(answer(batch));
    records.release(batch.end.offset);
  }
  yield* merger.end();
}
