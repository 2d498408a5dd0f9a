import type { RecordableHistogram } from 'node:perf_hooks';

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
