/** A step down, and its reverse up. */
const STEP = 0.75;
/** What a step must bring to be kept: latencies scatter. */
const MIN_GAIN = 1.05;
/** A measurement takes this long, and so many rounds of all calls, at least. */
const MIN_MEASUREMENT_MS = 1_000;
const MIN_ROUNDS = 2;
/** Between two trials: doubled after each that brought nothing. */
const FIRST_WAIT_MS = 2_500;
const MAX_WAIT_MS = 30_000;
/** A trial takes no more than this share of the time, however slow the calls. */
const MAX_EXPERIMENT_SHARE = 0.1;

/** A call that takes so many times as long as others are wont to is stuck: it is not counted with them. */
const STUCK_FACTOR = 8;

/** A call that is under way; times are milliseconds of a clock that only goes forward. */
export interface InFlightCall {
  readonly sentAt: number;
}

/**
 * How many calls run at once, learned from their latency: as many as the service answers the most calls a second
 * with. It begins with the most that is allowed. Now and then a quarter fewer, or a third more, are tried, and
 * kept where that brings more.
 *
 * Calls a second are those of Little's law, calls at once by latency; the median latency, so that a few slow
 * calls do not pass for a slow service. Where something else holds calls back there is nothing to learn.
 */
export class AdaptiveConcurrency {
  readonly #max: number;
  /** One stuck call must not keep all others waiting. */
  readonly #min: number;
  #learned: number;
  /** What the trial under way is compared with; its rate in calls a millisecond. */
  #baseline: { learned: number; rate: number; latency: number };
  #isDown = true;
  #wait = FIRST_WAIT_MS;
  #nextExperiment: number | undefined;
  #since = 0;
  #latencies: number[] = [];
  #held = 0;
  /** In the order in which they were sent. */
  readonly #inFlight = new Set<InFlightCall>();
  #stuck = 0;

  constructor(most: number) {
    this.#max = most;
    this.#min = Math.min(most, 2);
    this.#learned = most;
    this.#baseline = { learned: most, rate: 0, latency: Number.POSITIVE_INFINITY };
  }

  /** Calls that may run at once. */
  get current(): number {
    return Math.min(this.#max, this.#learned + this.#stuck);
  }

  begun(call: InFlightCall): void {
    this.#inFlight.add(call);
  }

  /** @param isAnswered whether it tells of the service: its whole answer has come */
  ended(call: InFlightCall, now: number, isAnswered: boolean): void {
    const others = this.#inFlight.size - this.#stuck;
    this.#inFlight.delete(call);
    this.#stuck = this.#countStuck(now);
    if (!isAnswered) return;
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

  /** @param latency milliseconds, undefined where something else held the calls back */
  #evaluate(now: number, latency: number | undefined): void {
    const rate = latency === undefined ? 0 : this.#learned / latency;
    const isTrial = this.#learned !== this.#baseline.learned;
    if (isTrial && rate < this.#baseline.rate * MIN_GAIN) {
      this.#learned = this.#baseline.learned;
      this.#isDown = !this.#isDown;
      this.#wait = Math.min(MAX_WAIT_MS, this.#wait * 2);
      this.#nextExperiment = now + Math.max(this.#wait, (now - this.#since) / MAX_EXPERIMENT_SHARE);
      return;
    }
    if (latency === undefined) return;
    this.#baseline = { learned: this.#learned, rate, latency };
    if (isTrial) this.#wait = FIRST_WAIT_MS;
    if (isTrial || now >= (this.#nextExperiment ?? now)) this.#startExperiment();
  }

  #startExperiment(): void {
    const down = Math.max(this.#min, Math.floor(this.#learned * STEP));
    const up = Math.min(this.#max, Math.ceil(this.#learned / STEP));
    // At either end there is but one way to go.
    if (this.#learned === (this.#isDown ? down : up)) this.#isDown = !this.#isDown;
    this.#learned = this.#isDown ? down : up;
  }
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}
