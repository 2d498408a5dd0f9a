import { createHistogram, type RecordableHistogram } from 'node:perf_hooks';

/** Longer requests count as ones that took this long: a histogram of longer times takes megabytes for a few files. */
const MAX_LATENCY_MS = 3_600_000;

/** Statistics of the requests to a service so far. */
export interface CallStatistics {
  calls: number;
  /** Requests that are waiting for their response; batches, for a local report. */
  inFlight: number;
  /** Failure code → number of retries. */
  retries: Map<string, number>;
  /** Latency of successful requests in milliseconds, from sending to the end of the response. */
  latency: RecordableHistogram;
}

export const newCallStatistics = (): CallStatistics => ({
  calls: 0,
  inFlight: 0,
  retries: new Map(),
  latency: createHistogram({ highest: MAX_LATENCY_MS }),
});

/** Adds the latency of a successful request. @param sentAt by `performance.now()` */
export function recordLatency({ latency }: Pick<CallStatistics, 'latency'>, sentAt: number): void {
  const milliseconds = Math.round(performance.now() - sentAt);
  latency.record(Math.min(MAX_LATENCY_MS, Math.max(1, milliseconds)));
}
