import type { RecordableHistogram } from 'node:perf_hooks';

/** What was asked of a service so far. */
export interface CallStatistics {
  calls: number;
  /** Code of the failure → calls that were tried again for it. */
  retries: Map<string, number>;
  /** Milliseconds from sending a call to its whole answer, of those that succeeded. */
  latency: RecordableHistogram;
}
