import { rm } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { RowcastError } from '../../base/errors.ts';
import { onAbort } from '../../base/interrupted.ts';
import { scoreDefaults } from '../../base/options/values/run-values.ts';
import { executeRun } from '../../runs/execute-run.ts';
import type { RunObserver } from '../../runs/observer.ts';
import { plainNames, type Run } from '../../runs/run.ts';
import { RunControl } from '../../runs/run-control.ts';
import { RunRecord } from '../../runs/run-record.ts';
import type { Summary } from '../../runs/summary/summary.ts';
import type { RowCounts } from '../../scoring/row-counts.ts';
import type { OpenScorer } from '../../scoring/scorer.ts';
import { type UploadTurns, uploadScorer } from '../../server/batch-predict/upload-scorer.ts';
import type { ModelCache } from '../../server/predict/model-cache.ts';
import type { Limits } from '../../server/service-limits.ts';
import type { ServiceThreads } from '../../server/threads/service-threads.ts';
import type { Source } from '../../storage/source.ts';
import { MAX_FOOTER_BYTES, MAX_GROUP_BYTES } from '../recognize-upload.ts';
import type { UploadClient } from '../session/with-session.ts';
import { openUpload, type UploadObserver } from './open-upload.ts';
import type { RunStore } from './run-store.ts';
import type { StoredRun } from './stored-run.ts';

/**
 * Too little for a second batch: nothing is gained by reading ahead of a model in this process, and a run that is
 * cancelled would go on with what was read.
 */
const WINDOW_BYTES = 1;

export interface ScoreFileOptions extends UploadObserver {
  store: RunStore;
  record: StoredRun;
  models: ModelCache;
  threads: ServiceThreads;
  limits: Pick<Limits, 'recordBytes' | 'columns'>;
  /** Rows per batch, unless the model's work limits allow fewer. */
  batchRows: number;
  turns: UploadTurns;
  client: UploadClient;
  /** Aborted when the session ends of who has sent the file. */
  ended: AbortSignal;
  /** Waits until the run may have this many bytes of memory. @param stop rejects the wait */
  remember(bytes: number, stop: AbortSignal): Promise<void>;
  /** Called after each part; throws to stop the run. */
  onProgress(rowCounts: RowCounts): void;
  /** Stops the run. */
  stop: AbortSignal;
}

/** How a run has ended. */
interface ScoredFile {
  summary: Summary;
  /** Undefined unless it failed. */
  failure: unknown;
}

/**
 * Stores an upload, then scores it exactly as `rowcast score` would score the file, and writes the output, the rejects
 * and the summary to the run's folder. Once the file is stored, the run goes on without its client, as long as the
 * session does.
 */
export async function scoreFile(upload: Readable, options: ScoreFileOptions): Promise<ScoredFile> {
  const { client, ended, store } = options;
  let callOff = (): void => {};
  const onStored = (): void => {
    options.onStored();
    callOff = onAbort(ended, () => run.control.fail(endedBefore()));
    client.waits(execution).catch(() => {}); // it is awaited below
  };
  const run = runOfUpload(upload, { ...options, onStored });
  const record = new RunRecord(run);
  const execution = executeRun(run, record);
  try {
    return { summary: await execution, failure: undefined };
  } catch (failure) {
    return { summary: record.state, failure };
  } finally {
    callOff();
    upload.destroy();
    run.control.end();
    await rm(store.inputOf(options.record.id), { force: true });
  }
}

const endedBefore = (): RowcastError =>
  new RowcastError('unreadable_input', 'the session has ended before all rows were scored', {
    severity: 'stopped',
  });

function runOfUpload(upload: Readable, given: ScoreFileOptions): Run {
  const { store, record, models, threads, limits, turns, reserve, onFormat, onStored } = given;
  const { output } = store.files(record.id);
  // What is stored of the input, and copied from it to the output.
  let reserved = 0;
  const control = new RunControl(given.stop);
  const openInput = (): Promise<Source> =>
    openUpload(upload, {
      name: record.file,
      path: store.inputOf(record.id),
      stop: control.signal,
      reserve(bytes) {
        reserve(bytes);
        reserved = bytes;
      },
      remember: bytes => given.remember(bytes, control.signal),
      onFormat,
      onStored,
    });
  const progress = uploadProgress((rowCounts, bytes) => {
    reserve(reserved + bytes);
    given.onProgress(rowCounts);
  });
  const values: Run['values'] = {
    ...scoreDefaults,
    report: record.report,
    input: record.file,
    output,
    private: true,
    delimiter: record.delimiter,
    maxRecordBytes: limits.recordBytes,
    maxColumns: limits.columns,
    maxGroupBytes: MAX_GROUP_BYTES,
    maxFooterBytes: MAX_FOOTER_BYTES,
  };
  const openScorer = async (): Promise<OpenScorer> => {
    const { predictor, release } = await models.hold(record.report);
    const { model, report, work } = predictor;
    const batchRows = Math.min(given.batchRows, work.sliceRows);
    return {
      scorer: uploadScorer({ model, report, threads, turns, batchRows }),
      close: async () => release(),
    };
  };
  return {
    names: plainNames({ input: record.file, output: 'output', report: record.report }),
    values,
    // A folder that is gone was deleted with its run.
    paths: { input: undefined, output, private: true, hasFolders: true },
    openScorer,
    openInput,
    observers: [progress, runFolder(store, record.id)],
    control,
    windowBytes: WINDOW_BYTES,
  };
}

/** Keeps the summary in the folder of a run. Nothing is left of the output of a run that failed. */
const runFolder = (store: RunStore, id: string): RunObserver => ({
  begin: run => store.writeSummary(id, run.state),
  async ended(summary) {
    if (summary.status !== 'finished') await store.removeFiles(id);
    await store.writeSummary(id, summary);
  },
});

/** About the size of a reject's row, line and code. */
const REJECT_BYTES = 64;

/** @param onProgress called after each part with the bytes of output and rejects so far; throws to stop the run */
function uploadProgress(onProgress: (rowCounts: RowCounts, bytes: number) => void): RunObserver {
  let rejectBytes = 0;
  return {
    rejected({ record, reason }) {
      rejectBytes += record.length + reason.length + REJECT_BYTES;
    },
    progress: ({ rowCounts }) => onProgress(rowCounts, rowCounts.bytesOut + rejectBytes),
  };
}
