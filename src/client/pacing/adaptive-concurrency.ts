/** Factor of a step down; a step up is its inverse. */
const STEP = 0.75;
/** A step must improve throughput by this factor to be kept, because latencies vary. */
const MIN_GAIN = 1.05;
/** A measurement takes at least this long, and at least this many rounds of all requests. */
const MIN_MEASUREMENT_MS = 1_000;
const MIN_ROUNDS = 2;
/** Time between experiments; doubled after each one without an improvement. */
const FIRST_WAIT_MS = 2_500;
const MAX_WAIT_MS = 30_000;
/** Experiments take at most this share of the time, however slow the requests are. */
const MAX_EXPERIMENT_SHARE = 0.1;

/** A request that takes this many times the usual latency is considered stuck and no longer counted. */
const STUCK_FACTOR = 8;

/** A request in flight; times are milliseconds of a monotonic clock. */
export interface InFlightRequest {
  readonly sentAt: number;
}

/**
 * Finds the number of requests in flight that gives the highest throughput. It starts with the maximum. From time to
 * time it tries a quarter fewer or a third more, and keeps the change if throughput improves.
 *
 * Throughput is computed by Little's law, requests in flight divided by latency. The median latency is used, so that a
 * few slow requests do not look like a slow service. If something else limits the requests, nothing is learned.
 */
export class AdaptiveConcurrency {
  readonly #max: number;
  /** A single stuck request must not block all others. */
  readonly #min: number;
  #learned: number;
  /** What the current experiment is compared with; the rate is in requests per millisecond. */
  #baseline: { learned: number; rate: number; latency: number };
  #isDown = true;
  #wait = FIRST_WAIT_MS;
  #nextExperiment: number | undefined;
  #since = 0;
  #latencies: number[] = [];
  #held = 0;
  /** In the order of sending. */
  readonly #inFlight = new Set<InFlightRequest>();
  #stuck = 0;

  constructor(most: number) {
    this.#max = most;
    this.#min = Math.min(most, 2);
    this.#learned = most;
    this.#baseline = { learned: most, rate: 0, latency: Number.POSITIVE_INFINITY };
  }

  /** Current limit on requests in flight. */
  get current(): number {
    return Math.min(this.#max, this.#learned + this.#stuck);
  }

  begun(call: InFlightRequest): void {
    this.#inFlight.add(call);
  }

  /** @param isComplete whether a complete response was received; other requests do not count as measurements */
  ended(call: InFlightRequest, now: number, isComplete: boolean): void {
    const others = this.#inFlight.size - this.#stuck;
    this.#inFlight.delete(call);
    this.#stuck = this.#countStuck(now);
    if (!isComplete) return;
    if (this.#nextExperiment === undefined) {
      this.#since = call.sentAt;
      this.#nextExperiment = now + this.#wait;
    }
    if (call.sentAt < this.#since) return;
    this.#latencies.push(now - call.sentAt);
    if (others < this.#learned) this.#held++;
    const { length } = this.#latencies;
    if (length < MIN_ROUNDS * this.#learned || now - this.#since < MIN_MEASUREMENT_MS) return;
    if (this.#held > length / 5) this.#evaluate(now, undefined);
    else this.#evaluate(now, median(this.#latencies));
    this.#since = now;
    this.#latencies = [];
    this.#held = 0;
  }

  #countStuck(now: number): number {
    let stuck = 0;
    for (const { sentAt } of this.#inFlight) {
      if (now - sentAt < STUCK_FACTOR * this.#baseline.latency) break;
      stuck++;
    }
    return stuck;
  }

  /** @param latency milliseconds; undefined if something else limited the requests */
  #evaluate(now: number, latency: number | undefined): void {
    const rate = latency === undefined ? 0 : this.#learned / latency;
    const isExperiment = this.#learned !== this.#baseline.learned;
    if (isExperiment && rate < this.#baseline.rate * MIN_GAIN) {
      this.#learned = this.#baseline.learned;
      this.#isDown = !this.#isDown;
      this.#wait = Math.min(MAX_WAIT_MS, this.#wait * 2);
      this.#nextExperiment = now + Math.max(this.#wait, (now - this.#since) / MAX_EXPERIMENT_SHARE);
      return;
    }
    if (latency === undefined) return;
    this.#baseline = { learned: this.#learned, rate, latency };
    if (isExperiment) this.#wait = FIRST_WAIT_MS;
    if (isExperiment || now >= (this.#nextExperiment ?? now)) this.#startExperiment();
  }

  #startExperiment(): void {
    const down = Math.max(this.#min, Math.floor(this.#learned * STEP));
    const up = Math.min(this.#max, Math.ceil(this.#learned / STEP));
    // At either bound there is only one direction.
    if (this.#learned === (this.#isDown ? down : up)) this.#isDown = !this.#isDown;
    this.#learned = this.#isDown ? down : up;
  }
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}
