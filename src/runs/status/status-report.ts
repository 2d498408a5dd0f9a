import { classesOf } from '../../base/contract/predictions.ts';
import { fractionOf } from '../../formats/records/position.ts';
import type { UnfinishedRun } from '../several/ledger-file.ts';
import { type Summary, summaryCounts } from '../summary/summary.ts';
import type { Status } from './status.ts';

/** Members of the summary that a checkpoint knows. */
type Known = Pick<
  Summary,
  | ('format' | 'run_id' | 'started_at' | 'attempts' | 'resumed_from_row')
  | ('input' | 'output' | 'service' | 'report' | 'classes' | 'prediction')
  | ('rows' | 'blank_lines' | 'batches' | 'calls' | 'retries' | 'bytes_in' | 'bytes_out')
>;

/**
 * What `rowcast status --json` prints: the members of the summary as far as they are known, and the state of the run.
 */
export interface StatusReport extends Partial<Known> {
  format: 1;
  output: string;
  /** `waiting`: a command is at other files first. */
  state: 'running' | 'waiting' | 'stopped' | 'finished';
  /** Whether a process is working on it. */
  alive: boolean;
  pid: number | null;
  host: string | null;
  /** From 0 to 1, if the size of the input is known. */
  fraction: number | null;
  /** The rate of the last process, up to its last checkpoint. */
  rows_per_second: number | null;
  eta_seconds: number | null;
  /** ISO 8601. */
  checkpoint_at: string | null;
  /** The rejects file of a finished run, if it is gone. */
  lost_rejects?: string;
  /**
   * Why the input of a run in a folder was not scored, if that is known; or why the run stopped, if its command would
   * stop again.
   */
  error?: { code: string; message: string };
}

/** @param output as the user calls it */
export function statusReport(output: string, { run, saved, finished }: Status): StatusReport {
  const isFinished = run === undefined && saved === undefined && finished !== undefined;
  const isRunning = run !== undefined;
  const pace = saved && paceOf(saved);
  return {
    format: 1,
    output,
    state: isRunning ? 'running' : isFinished ? 'finished' : 'stopped',
    alive: isRunning,
    pid: run?.pid ?? null,
    host: run?.host ?? null,
    ...(saved && knownOf(saved)),
    ...(!isRunning && saved?.checkpoint.stopped && { error: errorOf(saved.checkpoint.stopped) }),
    fraction: isFinished ? 1 : (pace?.fraction ?? null),
    rows_per_second: pace?.rate ?? null,
    eta_seconds: isRunning ? (pace?.secondsLeft ?? null) : null,
    checkpoint_at: saved?.modified.toISOString() ?? null,
  };
}

/**
 * The report of an output that a command was to write and has not.
 *
 * @param status of the output itself; undefined if there is nothing
 */
export function unfinishedReport(
  output: string,
  { input, error }: UnfinishedRun,
  status: Status = NOTHING,
): StatusReport {
  const report = statusReport(output, status);
  if (report.state === 'running') return report;
  const fraction = report.state === 'stopped' ? report.fraction : null;
  return { ...report, state: 'stopped', input, fraction, ...(error !== null && { error }) };
}

const NOTHING: Status = { saved: undefined, run: undefined, partialBytes: undefined, finished: undefined };

type Saved = NonNullable<Status['saved']>;

function knownOf({ checkpoint }: Saved): Partial<Known> {
  const { attempt, fingerprint, predictionType, rowCounts } = checkpoint;
  return {
    run_id: attempt.runId,
    started_at: attempt.runStartedAt,
    attempts: attempt.number,
    resumed_from_row: attempt.number > 1 ? attempt.row : null,
    input: fingerprint.input.path,
    service: fingerprint.service,
    report: fingerprint.report.id,
    classes: classesOf(predictionType),
    prediction: predictionType ?? null,
    ...summaryCounts(rowCounts),
  };
}

const errorOf = ({ code, message }: NonNullable<Saved['checkpoint']['stopped']>) => ({ code, message });

/** How fast the last process was up to its checkpoint, and how much is left. */
function paceOf({ checkpoint, modified }: Saved) {
  const { attempt, position, fingerprint } = checkpoint;
  const { input, options } = fingerprint;
  const size = input.codec === 'none' ? input.size : null; // offsets are those of uncompressed bytes
  const done = fractionOf(position, size, Number(options['--limit']) || undefined);
  const fraction = done && Math.min(1, done);
  const seconds = (modified.getTime() - Date.parse(attempt.startedAt)) / 1000;
  const rate = seconds > 0 ? (position.row - attempt.row) / seconds : undefined;
  const rows = position.row - 1;
  const rowsLeft = fraction === undefined || fraction === 0 ? undefined : (rows * (1 - fraction)) / fraction;
  return {
    fraction,
    rate: rate === undefined ? undefined : Math.round(10 * rate) / 10,
    secondsLeft: rate && rowsLeft !== undefined ? Math.ceil(rowsLeft / rate) : undefined,
  };
}
