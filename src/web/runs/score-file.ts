import type { Readable } from 'node:stream';
import { scoreDefaults } from '../../base/options/values/score-defaults.ts';
import { executeRun } from '../../runs/execute-run.ts';
import type { Run } from '../../runs/run.ts';
import { RunControl } from '../../runs/run-control.ts';
import { RunRecord } from '../../runs/run-record.ts';
import type { Summary } from '../../runs/summary/summary.ts';
import type { RowCounts } from '../../scoring/row-counts.ts';
import type { OpenScorer } from '../../scoring/scorer.ts';
import { uploadScorer } from '../../server/batch-predict/upload-scorer.ts';
import type { UploadTurns } from '../../server/batch-predict/upload-turns.ts';
import type { ModelCache } from '../../server/predict/model-cache.ts';
import type { Limits } from '../../server/service-limits.ts';
import type { ServiceThreads } from '../../server/threads/service-threads.ts';
import { streamSource } from '../../storage/stream-source.ts';
import { runFolder } from './run-folder.ts';
import type { RunStore } from './run-store.ts';
import type { StoredRun } from './stored-run.ts';
import { uploadProgress } from './upload-progress.ts';

/** Too little for a second batch: nothing is gained by reading ahead of a model in this process, and a run that is cancelled would go on with what was read. */
const WINDOW_BYTES = 1;

export interface ScoreFileOptions {
  store: RunStore;
  record: StoredRun;
  models: ModelCache;
  threads: ServiceThreads;
  limits: Pick<Limits, 'recordBytes' | 'columns'>;
  /** Rows per batch, unless the model's work limits allow fewer. */
  batchRows: number;
  turns: UploadTurns;
  /** Called after each part with the bytes of output and rejects so far; throws to stop the run. */
  onProgress(rowCounts: RowCounts, bytes: number): void;
  /** Stops the run. */
  stop: AbortSignal;
}

/** How a run has ended. */
export interface Scored {
  summary: Summary;
  /** Undefined unless it failed. */
  failure: unknown;
}

/**
 * Scores an upload while it arrives, exactly as `rowcast score` would score the file, and writes the output, the rejects
 * and the summary to the run's folder.
 */
export async function scoreFile(upload: Readable, options: ScoreFileOptions): Promise<Scored> {
  const run = runOfUpload(upload, options);
  const record = new RunRecord(run);
  try {
    return { summary: await executeRun(run, record), failure: undefined };
  } catch (failure) {
    return { summary: record.state, failure };
  } finally {
    upload.destroy();
    run.control.end();
  }
}

function runOfUpload(
  upload: Readable,
  { store, record, models, threads, limits, batchRows, turns, onProgress, stop }: ScoreFileOptions,
): Run {
  const { output } = store.files(record.id);
  const options: Run['options'] = {
    ...scoreDefaults,
    report: record.report,
    input: record.file,
    output,
    private: true,
    delimiter: record.delimiter,
    maxRecordBytes: limits.recordBytes,
    maxColumns: limits.columns,
  };
  const openScorer = async (): Promise<OpenScorer> => {
    const { predictor, release } = await models.hold(record.report);
    const { model, work } = predictor;
    return {
      scorer: uploadScorer({ model, threads, turns, batchRows: Math.min(batchRows, work.sliceRows) }),
      close: async () => release(),
    };
  };
  return {
    names: {
      version: null,
      input: record.file,
      output: 'output.csv',
      rejects: null,
      hasNamedRejects: false,
      report: record.report,
      options: {},
    },
    options,
    // A folder that is gone was deleted with its run.
    paths: { input: undefined, output, private: true, hasFolders: true },
    openScorer,
    openInput: async () => streamSource(record.file, upload),
    observers: [uploadProgress(onProgress), runFolder(store, record.id)],
    control: new RunControl(stop),
    windowBytes: WINDOW_BYTES,
  };
}
