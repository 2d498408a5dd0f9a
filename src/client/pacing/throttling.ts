/** Outcomes of requests: accepted, or throttled with 429. */
export interface Outcomes {
  accepted: number;
  throttled: number;
}

/** Share of throttled requests; 0 if there were no requests. */
const shareThrottled = ({ accepted: taken, throttled: refused }: Outcomes): number =>
  refused / Math.max(1, taken + refused);

export const sum = (one: Outcomes, other: Outcomes): Outcomes => ({
  accepted: one.accepted + other.accepted,
  throttled: one.throttled + other.throttled,
});

/** Number of standard deviations from which a difference is significant. */
const SIGNIFICANT_DEVIATIONS = 3;

/** Whether the share of throttled requests is significantly larger than before: a two-proportion z-test. */
export function isSignificantlyMore(now: Outcomes, before: Outcomes): boolean {
  const [calls, callsBefore] = [now.accepted + now.throttled, before.accepted + before.throttled];
  const all = shareThrottled(sum(now, before));
  const deviation = Math.sqrt(all * (1 - all) * (1 / calls + 1 / callsBefore));
  return shareThrottled(now) - shareThrottled(before) > SIGNIFICANT_DEVIATIONS * deviation;
}

/** A larger share than this is attributed to a rate limit, never to random throttling. */
const MAX_RANDOM_SHARE = 0.6;
/** A decrease is only judged if a rate limit would remove at least this share of the 429s. */
const MIN_GAP = 0.3;
/** Number of 429s needed to compute a share. */
const MIN_THROTTLED = 5;
/** After this many ineffective decreases in a row, the 429s are considered independent of the rate. */
const MAX_INEFFECTIVE = 2;
/** Standard deviations that must lie between the expected and the previous share before a decrease is judged. */
const MIN_SEPARATION = 2.5;

/**
 * Tracks whether decreasing the rate changes the share of throttled requests. With a rate limit the share drops; with
 * random throttling it stays the same.
 */
export class Decreases {
  /** Share throttled before the last decrease, and the share expected after it if there is a rate limit. */
  #before = 0;
  #expected = 0;
  /** Outcomes of requests sent at the decreased rate. */
  #since: Outcomes = { accepted: 0, throttled: 0 };
  /** Outcomes after each of the last consecutive ineffective decreases. */
  #ineffective: Outcomes[] = [];
  /** The limit before the first of these decreases. */
  #limit = Number.POSITIVE_INFINITY;

  /** Throttled requests since the last decrease. */
  get throttled(): number {
    return this.#since.throttled;
  }

  count(outcome: keyof Outcomes): void {
    this.#since[outcome]++;
  }

  /**
   * Evaluates the last decrease before the next one.
   *
   * @param recent outcomes of recent requests
   * @param limit before the next decrease
   * @param expected share that will be throttled afterwards if the recently accepted rate is a limit
   * @returns if the decreases were ineffective: the limit before them, and the outcomes at any rate
   */
  next(recent: Outcomes, limit: number, expected: number): { limit: number; outcomes: Outcomes } | undefined {
    const since = this.#since;
    const gap = this.#before - this.#expected;
    const deviation = Math.sqrt(
      (this.#before * (1 - this.#before)) / Math.max(1, since.accepted + since.throttled),
    );
    // If a limit would hardly change the share, the decrease was too small to judge.
    const isFirst = this.#before === 0 || gap < MIN_GAP * this.#before;
    // Too few requests to judge; those at the next rate are added.
    if (!isFirst && gap < MIN_SEPARATION * deviation) return undefined;
    const share = shareThrottled(since);
    const isIneffective = !isFirst && share > this.#expected + gap / 2 && share <= MAX_RANDOM_SHARE;
    if (isIneffective) this.#ineffective.push(since);
    else {
      this.#limit = limit;
      this.#ineffective = [];
    }
    this.#before = shareThrottled(since.throttled < MIN_THROTTLED ? recent : since);
    this.#expected = expected;
    this.#since = { accepted: 0, throttled: 0 };
    if (this.#ineffective.length < MAX_INEFFECTIVE) return undefined;
    const outcomes = this.#ineffective.reduce(sum);
    this.#ineffective = [];
    this.#before = 0;
    return { limit: this.#limit, outcomes };
  }
}
