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

/** A call that takes so many times as long as others are wont to is stuck: it is not counted with them. */
const STUCK = 8;

/** A call that is under way; times are milliseconds of a clock that only goes forward. */
export interface Call {
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
export class Concurrency {
  readonly #most: number;
  /** One stuck call must not keep all others waiting. */
  readonly #least: number;
  #learned: number;
  /** What the trial under way is compared with; its rate in calls a millisecond. */
  #settled: { learned: number; rate: number; latency: number };
  #isDown = true;
  #wait = FIRST_WAIT_MS;
  #nextTrial: number | undefined;
  #since = 0;
  #latencies: number[] = [];
  #held = 0;
  /** In the order in which they were sent. */
  readonly #underWay = new Set<Call>();
  #stuck = 0;

  constructor(most: number) {
    this.#most = most;
    this.#least = Math.min(most, 2);
    this.#learned = most;
    this.#settled = { learned: most, rate: 0, latency: Number.POSITIVE_INFINITY };
  }

  /** Calls that may run at once. */
  get current(): number {
    return Math.min(this.#most, this.#learned + this.#stuck);
  }

  begun(call: Call): void {
    this.#underWay.add(call);
  }

  /** @param isAnswered whether it tells of the service: its whole answer has come */
  ended(call: Call, now: number, isAnswered: boolean): void {
    const others = this.#underWay.size - this.#stuck;
    this.#underWay.delete(call);
    this.#stuck = this.#countStuck(now);
    if (!isAnswered) return;
    if (this.#nextTrial === undefined) {
      this.#since = call.sentAt;
      this.#nextTrial = now + this.#wait;
    }
    if (call.sentAt < this.#since) return;
    this.#latencies.push(now - call.sentAt);
    if (others < this.#learned) this.#held++;
    const { length } = this.#latencies;
    if (length < ROUNDS * this.#learned || now - this.#since < MEASURED_MS) return;
    if (this.#held > length / 5) this.#judge(now, undefined);
    else this.#judge(now, median(this.#latencies));
    this.#since = now;
    this.#latencies = [];
    this.#held = 0;
  }

  #countStuck(now: number): number {
    let stuck = 0;
    for (const { sentAt } of this.#underWay) {
      if (now - sentAt < STUCK * this.#settled.latency) break;
      stuck++;
    }
    return stuck;
  }

  /** @param latency milliseconds, undefined where something else held the calls back */
  #judge(now: number, latency: number | undefined): void {
    const rate = latency === undefined ? 0 : this.#learned / latency;
    const isTrial = this.#learned !== this.#settled.learned;
    if (isTrial && rate < this.#settled.rate * WORTH) {
      this.#learned = this.#settled.learned;
      this.#isDown = !this.#isDown;
      this.#wait = Math.min(LONGEST_WAIT_MS, this.#wait * 2);
      this.#nextTrial = now + Math.max(this.#wait, (now - this.#since) / TRIAL_SHARE);
      return;
    }
    if (latency === undefined) return;
    this.#settled = { learned: this.#learned, rate, latency };
    if (isTrial) this.#wait = FIRST_WAIT_MS;
    if (isTrial || now >= (this.#nextTrial ?? now)) this.#try();
  }

  #try(): void {
    const down = Math.max(this.#least, Math.floor(this.#learned * STEP));
    const up = Math.min(this.#most, Math.ceil(this.#learned / STEP));
    // At either end there is but one way to go.
    if (this.#learned === (this.#isDown ? down : up)) this.#isDown = !this.#isDown;
    this.#learned = this.#isDown ? down : up;
  }
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}
