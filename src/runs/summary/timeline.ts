/**
 * What this process of a run has done up to a time. All are sums, so that the points between two others can be left
 * out.
 */
export interface TimelinePoint {
  /** Since the process started. */
  seconds: number;
  rows: number;
  rejected: number;
  batches: number;
  retries: number;
  /** Responses, and the sum of their latencies in milliseconds. */
  responses: number;
  latencyMs: number;
  /** Requests in flight, times the seconds for which they were. */
  inFlightSeconds: number;
}

/** The sums so far, and the requests that are in flight. */
export type TimelineSample = Omit<TimelinePoint, 'seconds' | 'inFlightSeconds'> & { inFlight: number };

export const noSample: TimelineSample = {
  rows: 0,
  rejected: 0,
  batches: 0,
  retries: 0,
  responses: 0,
  latencyMs: 0,
  inFlight: 0,
};

export function addSamples(samples: readonly TimelineSample[]): TimelineSample {
  const sum = { ...noSample };
  for (const sample of samples)
    for (const name of Object.keys(sum) as (keyof TimelineSample)[]) sum[name] += sample[name];
  return sum;
}

/** Points that are kept at most. */
const MAX_POINTS = 120;
/** Seconds between two points at the beginning. */
const FIRST_INTERVAL = 0.25;

/**
 * The course of a run in a bounded number of points: when there are too many, every second one is left out, and the
 * time between points doubles.
 */
export class Timeline {
  #kept: TimelinePoint[] = [{ ...pointOf(noSample), seconds: 0 }];
  #interval = FIRST_INTERVAL;
  /** The last point, which is kept only if enough time has passed since the one before it. */
  #latest = this.#kept[0] as TimelinePoint;

  /** @param seconds since the start, not before those of the previous call */
  add(seconds: number, sample: TimelineSample): void {
    const { inFlightSeconds, seconds: before } = this.#latest;
    const latest = {
      ...pointOf(sample),
      seconds,
      inFlightSeconds: inFlightSeconds + sample.inFlight * (seconds - before),
    };
    this.#latest = latest;
    if (seconds - (this.#kept.at(-1)?.seconds ?? 0) < this.#interval) return;
    this.#kept.push(latest);
    if (this.#kept.length <= MAX_POINTS) return;
    this.#kept = this.#kept.filter((_, i) => i % 2 === 0);
    this.#interval *= 2;
  }

  /** Ascending, the first at 0 seconds. */
  get points(): readonly TimelinePoint[] {
    const { seconds } = this.#latest;
    const last = this.#kept.at(-1)?.seconds ?? 0;
    if (seconds === last) return this.#kept;
    // The rate of a much shorter time says little.
    const isShort = this.#kept.length > 1 && seconds - last < this.#interval / 2;
    return [...(isShort ? this.#kept.slice(0, -1) : this.#kept), this.#latest];
  }
}

function pointOf({ inFlight: _, ...sums }: TimelineSample): TimelinePoint {
  return { ...sums, seconds: 0, inFlightSeconds: 0 };
}
