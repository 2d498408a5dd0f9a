import { open, rm } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { RowcastError } from '../../base/errors.ts';
import { Interrupted, onAbort } from '../../base/interrupted.ts';
import { scoreDefaults } from '../../base/options/values/run-values.ts';
import { executeRun } from '../../runs/execute-run.ts';
import type { RunObserver } from '../../runs/observer.ts';
import { plainNames, type Run } from '../../runs/run.ts';
import { RunControl } from '../../runs/run-control.ts';
import { RunTracker } from '../../runs/run-tracker.ts';
import type { Summary } from '../../runs/summary/summary.ts';
import type { RowCounts } from '../../scoring/row-counts.ts';
import type { OpenScorer } from '../../scoring/scorer.ts';
import { type UploadTurns, uploadScorer } from '../../server/batch-predict/upload-scorer.ts';
import type { ModelCache } from '../../server/predict/model-cache.ts';
import type { Limits } from '../../server/service-limits.ts';
import type { ServiceThreads } from '../../server/threads/service-threads.ts';
import { UPLOAD_WINDOW_BYTES } from '../../storage/codecs/codec.ts';
import type { Source } from '../../storage/source.ts';
import {
  type FileFormat,
  MAX_FOOTER_BYTES,
  MAX_GROUP_BYTES,
  recognizeUpload,
  UPLOAD_THREAD_BYTES,
} from '../recognize-upload.ts';
import type { UploadClient } from '../session/with-session.ts';
import type { RunStore } from './run-store.ts';
import type { StoredRun } from './stored-run.ts';
import { openThreaded } from './threaded-source.ts';

/**
 * Too little for a second batch: nothing is gained by reading ahead of a model in this process, and a run that is
 * cancelled would go on with what was read.
 */
const WINDOW_BYTES = 1;

export interface ScoreFileOptions {
  store: RunStore;
  stored: StoredRun;
  models: ModelCache;
  threads: ServiceThreads;
  limits: Pick<Limits, 'recordBytes' | 'columns'>;
  /** Rows per batch, unless the model's work limits allow fewer. */
  batchRows: number;
  turns: UploadTurns;
  client: UploadClient;
  /** Aborted when the session ends of who has sent the file. */
  ended: AbortSignal;
  /** Reserves the bytes that the run takes up on the disk; throws if they are too many. */
  reserve(bytes: number): void;
  /** Waits until the run may have this many bytes of memory. @param stop rejects the wait */
  remember(bytes: number, stop: AbortSignal): Promise<void>;
  /** Called as soon as the format of the file is known. */
  onFormat(format: FileFormat): Promise<void>;
  /** Called when the file is stored: nothing more comes from the client, which may leave. */
  onStored(): void;
  /** Called after each part; throws to stop the run. */
  onProgress(rowCounts: RowCounts): void;
  /** Stops the run. */
  stop: AbortSignal;
}

/**
 * Stores an upload, then scores it exactly as `rowcast score` would score the file, and writes the output, the rejects
 * and the summary to the run's folder. Once the file is stored, the run goes on without its client, as long as the
 * session does.
 *
 * @returns its summary, and why it failed if it has failed
 */
export async function scoreFile(
  upload: Readable,
  options: ScoreFileOptions,
): Promise<{ summary: Summary; failure: unknown }> {
  const { client, ended, store } = options;
  let callOff = (): void => {};
  const onStored = (): void => {
    options.onStored();
    callOff = onAbort(ended, () => run.control.fail(endedBefore()));
    client.waits(execution).catch(() => {}); // it is awaited below
  };
  const run = runOfUpload(upload, { ...options, onStored });
  const tracker = new RunTracker(run);
  const execution = executeRun(run, tracker);
  try {
    return { summary: await execution, failure: undefined };
  } catch (failure) {
    return { summary: tracker.state, failure };
  } finally {
    callOff();
    upload.destroy();
    run.control.end();
    await rm(store.inputOf(options.stored.id), { force: true });
  }
}

const endedBefore = (): RowcastError =>
  new RowcastError('unreadable_input', 'the session has ended before all rows were scored', {
    severity: 'stopped',
  });

function runOfUpload(upload: Readable, given: ScoreFileOptions): Run {
  const { store, stored, models, threads, limits, turns } = given;
  const { output } = store.files(stored.id);
  // What is stored of the input, and copied from it to the output.
  let reserved = 0;
  const reserve = (bytes: number): void => {
    given.reserve(bytes);
    reserved = bytes;
  };
  const control = new RunControl(given.stop);
  let rejectBytes = 0;
  const progress: RunObserver = {
    rejected({ record: bytes, reason }) {
      rejectBytes += bytes.length + reason.length + REJECT_BYTES;
    },
    progress({ rowCounts }) {
      given.reserve(reserved + rowCounts.bytesOut + rejectBytes);
      given.onProgress(rowCounts);
    },
  };
  const values: Run['values'] = {
    ...scoreDefaults,
    report: stored.report,
    input: stored.file,
    output,
    private: true,
    delimiter: stored.delimiter,
    maxRecordBytes: limits.recordBytes,
    maxColumns: limits.columns,
    maxGroupBytes: MAX_GROUP_BYTES,
    maxFooterBytes: MAX_FOOTER_BYTES,
  };
  const openScorer = async (): Promise<OpenScorer> => {
    const { predictor, release } = await models.hold(stored.report);
    const { model, report, work } = predictor;
    const batchRows = Math.min(given.batchRows, work.sliceRows);
    const scorer = uploadScorer({ model, report, threads, turns, batchRows });
    return { scorer, close: async () => release() };
  };
  return {
    names: plainNames({ input: stored.file, output: 'output', report: stored.report }),
    values,
    // A folder that is gone was deleted with its run.
    paths: { input: undefined, output, private: true, hasFolders: true },
    openScorer,
    openInput: () => openUpload(upload, { ...given, reserve }, control.signal),
    observers: [progress, runFolder(store, stored.id)],
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

/**
 * Stores an upload, and opens it to be scored: its client may leave then.
 *
 * @throws RowcastError `bad_parquet`; Interrupted; what the upload or `reserve` fails with
 */
async function openUpload(upload: Readable, given: ScoreFileOptions, stop: AbortSignal): Promise<Source> {
  const { store, stored, reserve } = given;
  const path = store.inputOf(stored.id);
  const callOff = onAbort(stop, () => upload.destroy(new Interrupted(stop)));
  try {
    const { format, bytes, windowBytes } = await recognizeUpload(upload, stored.file);
    await given.onFormat(format);
    const isParquet = format === 'parquet';
    const file = await open(path, 'wx', 0o600);
    try {
      let size = 0;
      for await (const chunk of bytes) {
        size += chunk.length;
        // The columns of Parquet are copied to the output.
        reserve(isParquet ? 2 * size : size);
        await file.appendFile(chunk);
      }
    } finally {
      await file.close();
    }
    given.onStored();
    await given.remember(isParquet ? UPLOAD_THREAD_BYTES : windowBytes, stop);
    return await openThreaded(path, stored.file, UPLOAD_WINDOW_BYTES);
  } finally {
    callOff();
  }
}
