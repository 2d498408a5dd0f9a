import type { PredictionType } from '../base/contract/predictions.ts';
import type { CallError } from '../scoring/failures/call-error.ts';
import type { TraceBatch, TraceRequest } from '../scoring/trace.ts';
import type { Attempt } from './attempt.ts';
import { longFieldLine } from './long-field-line.ts';
import type { RunObserver } from './observer.ts';
import type { ResumePoint } from './output/output.ts';
import type { RunColumns } from './run-columns.ts';
import type { RunRecord } from './run-record.ts';

/** What the scoring of rows reports. */
export interface RowsWatch
  extends Required<
    Pick<RunObserver, 'setAside' | 'progress' | 'rejected' | 'longField' | 'warned' | 'settled' | 'suspended'>
  > {
  /** The output is open: this process of the run, and the columns of input and output. */
  opened(attempt: Attempt, columns: RunColumns): void;
  /** @param predictionType what the output's header says, if it was written */
  resumed(point: ResumePoint, predictionType: PredictionType | undefined): void;
  readonly traceBatch: TraceBatch | undefined;
}

/** What the requests of a run report. */
export interface RequestWatch {
  onRetry(failure: CallError, wait: number): void;
  trace: TraceRequest | undefined;
}

/**
 * Keeps the record up to date while rows are scored, and tells its observers.
 *
 * @param input the name of the input, for messages
 */
export function watchRows(record: RunRecord, input: string): RowsWatch {
  const { observers } = record;
  return {
    traceBatch: observers.find(each => each.traceBatch !== undefined)?.traceBatch,
    opened(attempt, columns) {
      record.attempt = attempt;
      record.columnsOf = () => columns;
      for (const each of observers) each.opened?.(record);
    },
    setAside() {
      for (const each of observers) each.setAside?.();
    },
    resumed(point, predictionType) {
      record.predictionType = predictionType;
      record.resumedFrom = point.row;
      record.rowCounts = point.rowCounts;
      record.before = point.rowCounts;
      for (const each of observers) each.resumed?.(point);
    },
    progress(now) {
      record.rowCounts = now.rowCounts;
      record.predictionType = now.predictionType;
      record.figures = now.figures;
      record.kept = () => now.resumePoint()?.rowCounts;
      for (const each of observers) each.progress?.(now);
    },
    rejected(reject) {
      for (const each of observers) each.rejected?.(reject);
    },
    longField(field) {
      const [, message] = longFieldLine(input, field);
      record.warn({ code: 'long_field', message });
      for (const each of observers) each.longField?.(field);
    },
    warned(warning) {
      const { code, message } = warning;
      record.warn({ code, message });
      for (const each of observers) each.warned?.(warning);
    },
    async settled() {
      for (const each of observers) await each.settled?.();
    },
    suspended(point, needsRestart) {
      record.rowCounts = point.rowCounts;
      for (const each of observers) each.suspended?.(point, needsRestart);
    },
  };
}

export function watchRequests({ observers }: RunRecord): RequestWatch {
  return {
    trace: observers.find(each => each.traceRequest !== undefined)?.traceRequest,
    onRetry(failure, wait) {
      for (const each of observers) each.retried?.(failure, wait);
    },
  };
}
