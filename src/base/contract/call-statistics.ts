import { createHistogram, type RecordableHistogram } from 'node:perf_hooks';

/** Longer requests count as ones that took this long: a histogram of longer times takes megabytes for a few files. */
const MAX_LATENCY_MS = 3_600_000;
/** A histogram takes 100 KB outside of the heap, and most files need one request. */
const MOST_WITHOUT_HISTOGRAM = 32;

/** Statistics of the requests to a service so far. */
export interface CallStatistics {
  calls: number;
  /** Requests that are waiting for their response; batches, for a local report. */
  inFlight: number;
  /** Failure code → number of retries. */
  retries: Map<string, number>;
  /** Latency of successful requests in milliseconds, from sending to the end of the response. */
  latency: Latencies;
}

/** Latencies in whole milliseconds, from 1: each of a few, otherwise a histogram. */
export class Latencies {
  #few: number[] = [];
  #all: RecordableHistogram | undefined;

  record(milliseconds: number): void {
    if (this.#all !== undefined) this.#all.record(milliseconds);
    else if (this.#few.push(milliseconds) > MOST_WITHOUT_HISTOGRAM) {
      this.#all = filled(newHistogram(), this.#few);
      this.#few = [];
    }
  }

  get count(): number {
    return this.#all?.count ?? this.#few.length;
  }

  /** NaN if there are none. */
  get mean(): number {
    return this.#histogram.mean;
  }

  percentile(percent: number): number {
    return this.#histogram.percentile(percent);
  }

  get #histogram(): RecordableHistogram {
    if (this.#all !== undefined) return this.#all;
    few ??= newHistogram();
    few.reset();
    return filled(few, this.#few);
  }
}

/** A few latencies, while they are asked for. */
let few: RecordableHistogram | undefined;

const newHistogram = (): RecordableHistogram => createHistogram({ highest: MAX_LATENCY_MS });

function filled(histogram: RecordableHistogram, latencies: readonly number[]): RecordableHistogram {
  for (const latency of latencies) histogram.record(latency);
  return histogram;
}

export const newCallStatistics = (): CallStatistics => ({
  calls: 0,
  inFlight: 0,
  retries: new Map(),
  latency: new Latencies(),
});

/** Adds the latency of a successful request. @param sentAt by `performance.now()` */
export function recordLatency({ latency }: Pick<CallStatistics, 'latency'>, sentAt: number): void {
  const milliseconds = Math.round(performance.now() - sentAt);
  latency.record(Math.min(MAX_LATENCY_MS, Math.max(1, milliseconds)));
}
