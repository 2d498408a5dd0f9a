import type { RunObserver, RunView } from '../../observer.ts';
import type { ResumePoint } from '../../output/output.ts';
import type { RunTracker } from '../../run-tracker.ts';
import type { Summary } from '../../summary/summary.ts';
import type { Telemetry } from './open-telemetry.ts';
import type { ObservedRun, RunTelemetry } from './run-telemetry.ts';

/** Sends traces and metrics of a run. */
export interface TelemetryObserver extends RunObserver {
  /** The trace of the run, in which others may begin their own; undefined if nothing is sent. */
  readonly trace: RunTelemetry | undefined;
}

/**
 * @param open begins to send; undefined if nothing is to be sent
 * @param over the signal that ends the waiting for what is being sent
 */
export function telemetry(
  open: (run: RunView) => Promise<Telemetry | undefined>,
  over: () => AbortSignal,
): TelemetryObserver {
  let opened: Telemetry | undefined;
  return {
    get trace() {
      return opened?.run;
    },
    get traceBatch() {
      return opened?.run.traceBatch;
    },
    get traceRequest() {
      return opened?.run.traceRequest;
    },
    async begin(run) {
      opened = await open(run);
    },
    within: rest => opened?.run.within(rest) ?? rest(),
    resumed: ({ rowCounts }) => opened?.run.resumed(rowCounts.batches),
    retried: (failure, wait) => opened?.run.retried(failure, wait),
    close: async () => opened?.close(over()),
  };
}

/**
 * The trace of one of several runs, in that of all of them.
 *
 * @param parent undefined if nothing is sent
 */
export function runSpan(parent: RunTelemetry | undefined) {
  let span: RunTelemetry | undefined;
  return {
    start(run: RunView): void {
      span = parent?.begin(run);
    },
    end: () => span?.end(),
    get traceBatch() {
      return span?.traceBatch;
    },
    within: <T>(rest: () => Promise<T>): Promise<T> => span?.within(rest) ?? rest(),
    resumed: ({ rowCounts }: ResumePoint) => span?.resumed(rowCounts.batches),
  };
}

/** What traces and metrics say about a run in shards, whose tracker may be replaced by that of a later step. */
export function followedRun(first: RunTracker, attributes: NonNullable<ObservedRun['attributes']>) {
  let tracker = first;
  return {
    attributes,
    get state(): Summary {
      return tracker.state;
    },
    follow(next: RunTracker): void {
      tracker = next;
    },
  };
}
