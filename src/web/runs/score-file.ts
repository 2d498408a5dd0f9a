import type { Readable } from 'node:stream';
import { scoreDefaults } from '../../base/options/values/score-defaults.ts';
import { firstAttempt } from '../../runs/attempt.ts';
import type { RunObserver } from '../../runs/observer.ts';
import { lockRunPaths } from '../../runs/paths/lock-paths.ts';
import { runErrorOf } from '../../runs/run-error.ts';
import { scoreTo } from '../../runs/score.ts';
import { type Ending, type Summary, summaryOf } from '../../runs/summary/summary.ts';
import { type Accounts, newAccounts } from '../../scoring/row-counts.ts';
import { uploadScorer } from '../../server/batch-predict/upload-scorer.ts';
import type { UploadTurns } from '../../server/batch-predict/upload-turns.ts';
import type { Limits } from '../../server/http/limits.ts';
import type { ModelCache } from '../../server/predict/model-cache.ts';
import type { ServiceThreads } from '../../server/threads/service-threads.ts';
import { streamSource } from '../../storage/stream-source.ts';
import type { RunRecord } from './run-record.ts';
import type { RunStore } from './run-store.ts';

/** Too little for a second batch: nothing is gained by reading ahead of a model in this process, and a run that is cancelled would go on with what was read. */
const WINDOW_BYTES = 1;

/** About the size of a reject's row, line and code. */
const REJECT_BYTES = 64;

export interface ScoreFileOptions {
  store: RunStore;
  record: RunRecord;
  models: ModelCache;
  threads: ServiceThreads;
  limits: Pick<Limits, 'recordBytes' | 'columns'>;
  /** Rows per batch, unless the model's work limits allow fewer. */
  batchRows: number;
  turns: UploadTurns;
  /** Called after each part with the bytes of output and rejects so far; throws to stop the run. */
  onProgress(accounts: Accounts, bytes: number): void;
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
  const { store, record, onProgress } = options;
  const attempt = firstAttempt();
  const begun = performance.now();
  let accounts = newAccounts();
  const summarize = (ending?: Ending): Summary =>
    summaryOf({
      version: null,
      attempt,
      input: record.file,
      output: 'output.csv',
      rejects: null,
      hasNamedRejects: false,
      service: 'local',
      report: record.report,
      classes: [],
      options: {},
      warnings: [],
      accounts,
      resumedFrom: undefined,
      ending,
      seconds: (performance.now() - begun) / 1000,
      statistics: undefined,
      checksums: undefined,
    });
  const watch = (now: Accounts, bytes: number): void => {
    accounts = now;
    onProgress(now, bytes);
  };
  const end = async (status: Ending['status'], failure?: unknown): Promise<Scored> => {
    const error = status === 'finished' ? null : runErrorOf(failure);
    const summary = summarize({ status, exitCode: null, error, finishedAt: new Date() });
    await store.writeSummary(record.id, summary);
    return { summary, failure };
  };
  const locked = await lockRunPaths({
    input: undefined,
    output: store.files(record.id).output,
    private: true,
    // A folder that is gone was deleted with its run.
    hasFolders: true,
  });
  try {
    await store.writeSummary(record.id, summarize());
    await scoreUpload(upload, { ...options, onProgress: watch }, locked);
    return await end('finished');
  } catch (failure) {
    await store.removeOutput(record.id);
    return await end('stopped', failure);
  } finally {
    upload.destroy();
    await locked.release();
  }
}

async function scoreUpload(
  upload: Readable,
  { store, record, models, threads, limits, batchRows, turns, onProgress, stop }: ScoreFileOptions,
  locked: Awaited<ReturnType<typeof lockRunPaths>>,
): Promise<void> {
  const { predictor, release } = await models.hold(record.report);
  try {
    const options = {
      ...scoreDefaults,
      report: record.report,
      input: record.file,
      output: store.files(record.id).output,
      private: true,
      delimiter: record.delimiter,
      batchRows: Math.min(batchRows, predictor.work.sliceRows),
      maxRecordBytes: limits.recordBytes,
      maxColumns: limits.columns,
    };
    const scorer = uploadScorer({ model: predictor.model, threads, turns });
    const source = streamSource(record.file, upload);
    let rejectBytes = 0;
    const observer: RunObserver = {
      stop,
      onReject({ record, reason }) {
        rejectBytes += record.length + reason.length + REJECT_BYTES;
      },
      onProgress: ({ accounts }) => onProgress(accounts, accounts.bytesOut + rejectBytes),
    };
    await scoreTo(locked, options, scorer, observer, { source, windowBytes: WINDOW_BYTES });
  } finally {
    release();
  }
}
