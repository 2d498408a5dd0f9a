import { RowcastError } from '../../base/errors.ts';
import { Interrupted } from '../../base/interrupted.ts';
import { savedAttempt } from '../../runs/checkpoint/saved-attempt.ts';
import { runFilesOf } from '../../runs/paths/run-files.ts';
import type { Target } from '../../storage/target.ts';
import { openReports } from './open-reports.ts';
import { takeSummary } from './refused-summary.ts';
import type { RunJob } from './run-job.ts';
import { RunRecord } from './run-record.ts';
import { failureOf } from './run-stop.ts';

/** What a run has locked. */
export interface Held {
  summary: Target | undefined;
  output?: Target;
  release(): Promise<void>;
}

export interface RecordedRun<H extends Held, T> {
  lock: () => Promise<H>;
  use: (held: H, record: RunRecord) => Promise<T>;
  /** Aborted when the run is to be stopped. */
  stop: AbortSignal;
  /** Called when the run has an id, and again if that changes. */
  onRecord?: (record: RunRecord) => void;
  /** Called with the reason if the summary of a run that failed cannot be written. */
  onUnwritten?: (reason: string) => void;
}

/**
 * Runs with locked files, and writes how it ended to the summary, whatever happens.
 *
 * @throws what `lock` and `use` throw; Interrupted
 */
export async function recordRun<H extends Held, T>(
  job: RunJob,
  { lock, use, stop, onRecord, onUnwritten = () => {} }: RecordedRun<H, T>,
): Promise<T> {
  const held = await lock().catch(async error => {
    await recordRefusal(job, error, onUnwritten);
    throw error;
  });
  let record: RunRecord | undefined;
  let closeReports: (() => Promise<void>) | undefined;
  try {
    record = new RunRecord(job.names, held.summary);
    const output = held.output?.path;
    if (!job.values.restart && output !== undefined)
      record.attempt = (await savedAttempt(runFilesOf(output).checkpoint)) ?? record.attempt;
    onRecord?.(record);
    if (stop.aborted) throw new Interrupted(stop);
    closeReports = await openReports(job, record);
    await record.begin();
    return await use(held, record);
  } catch (thrown) {
    const error = failureOf(thrown);
    if (record === undefined) throw error;
    // That is the id of the other run.
    if (error instanceof RowcastError && error.code === 'other_work') record.attempt = record.newRun;
    onRecord?.(record);
    await record.fail(error, onUnwritten);
    throw error;
  } finally {
    try {
      await closeReports?.();
    } finally {
      await held.release();
    }
  }
}

/** Writes the summary of a run that could not start, if it has one. */
export async function recordRefusal(
  { places, names }: RunJob,
  error: unknown,
  onUnwritten: (reason: string) => void,
): Promise<void> {
  const held = await takeSummary(places, error);
  if (held === undefined) return;
  try {
    await new RunRecord(names, held.target).fail(error, onUnwritten);
  } finally {
    await held.release();
  }
}
