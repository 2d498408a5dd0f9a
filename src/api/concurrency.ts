/** A step down, and its reverse up. */
const STEP = 0.75;
/** What a step must bring to be kept: latencies scatter. */
const WORTH = 1.05;
/** A measurement takes this long, and so many rounds of all calls, at least. */
const MEASURED_MS = 1_000;
const ROUNDS = 2;
/** Between two trials: doubled after each that brought nothing. */
const FIRST_WAIT_MS = 2_500;
const LONGEST_WAIT_MS = 30_000;
/** A trial takes no more than this share of the time, however slow the calls. */
const TRIAL_SHARE = 0.1;

/** A call that was answered. Times are milliseconds of a clock that only goes forward. */
export interface Answered {
  sentAt: number;
  now: number;
  /** Calls that were under way when it was, itself included. */
  inFlight: number;
}

/**
 * How many calls run at once, learned from their latency: as many as the service answers the most calls a second
 * with. It begins with the most that is allowed. Now and then a quarter fewer, or a third more, are tried, and
 * kept where that brings more.
 *
 * Calls a second are those of Little's law, calls at once by latency; the median latency, so that a few slow
 * calls do not pass for a slow service. Where something else holds calls back there is nothing to learn.
 */
export class Concurrency {
  /** Calls that may run at once. */
  current: number;
  readonly #most: number;
  /** What the trial under way is compared with. */
  #settled: { current: number; rate: number };
  #isDown = true;
  #wait = FIRST_WAIT_MS;
  #nextTrial = Number.NEGATIVE_INFINITY;
  #since = Number.NEGATIVE_INFINITY;
  #latencies: number[] = [];
  #held = 0;

  constructor(most: number) {
    this.#most = most;
    this.current = most;
    this.#settled = { current: most, rate: 0 };
  }

  answered({ sentAt, now, inFlight }: Answered): void {
    if (this.#since === Number.NEGATIVE_INFINITY) {
      this.#since = sentAt;
      this.#nextTrial = now + this.#wait;
    }
    if (sentAt < this.#since) return;
    this.#latencies.push(now - sentAt);
    if (inFlight < this.current) this.#held++;
    const { length } = this.#latencies;
    if (length < ROUNDS * this.current || now - this.#since < MEASURED_MS) return;
    const isHeld = this.#held > length / 5;
    this.#judge(now, isHeld ? undefined : this.current / median(this.#latencies));
    this.#since = now;
    this.#latencies = [];
    this.#held = 0;
  }

  /** @param rate calls in a millisecond, undefined where they were held back by something else */
  #judge(now: number, rate: number | undefined): void {
    const isTrial = this.current !== this.#settled.current;
    if (isTrial && (rate === undefined || rate < this.#settled.rate * WORTH)) {
      this.current = this.#settled.current;
      this.#isDown = !this.#isDown;
      this.#wait = Math.min(LONGEST_WAIT_MS, this.#wait * 2);
      this.#nextTrial = now + Math.max(this.#wait, (now - this.#since) / TRIAL_SHARE);
      return;
    }
    if (rate === undefined) return;
    this.#settled = { current: this.current, rate };
    if (isTrial) this.#wait = FIRST_WAIT_MS;
    if (isTrial || now >= this.#nextTrial) this.#try();
  }

  #try(): void {
    const down = Math.max(1, Math.floor(this.current * STEP));
    const up = Math.min(this.#most, Math.ceil(this.current / STEP));
    // At either end there is but one way to go.
    if (this.current === (this.#isDown ? down : up)) this.#isDown = !this.#isDown;
    this.current = this.#isDown ? down : up;
  }
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}
