/** What became of some calls: the service took them, or refused them with 429. */
export interface Outcomes {
  accepted: number;
  throttled: number;
}

/** Share of the calls that were refused; 0 of none. */
export const shareThrottled = ({ accepted: taken, throttled: refused }: Outcomes): number =>
  refused / Math.max(1, taken + refused);

/** What became of both together. */
export const sum = (one: Outcomes, other: Outcomes): Outcomes => ({
  accepted: one.accepted + other.accepted,
  throttled: one.throttled + other.throttled,
});

/** Standard deviations beyond which a difference is not chance. */
const SIGNIFICANT_DEVIATIONS = 3;

/** Whether more is refused now than before: a two-proportion z-test. */
export function isSignificantlyMore(now: Outcomes, before: Outcomes): boolean {
  const [calls, callsBefore] = [now.accepted + now.throttled, before.accepted + before.throttled];
  const all = shareThrottled(sum(now, before));
  const deviation = Math.sqrt(all * (1 - all) * (1 / calls + 1 / callsBefore));
  return shareThrottled(now) - shareThrottled(before) > SIGNIFICANT_DEVIATIONS * deviation;
}

/** Who refuses more of the calls is taken to have a limit. */
const MAX_RANDOM_SHARE = 0.6;
/** Share of what was refused before a lowering that it must be able to do away with. */
const MIN_GAP = 0.3;
/** Refusals that make a share. */
const MIN_THROTTLED = 5;
/** So many lowerings in a row that changed nothing, and the refusals are not for the rate. */
const MAX_INEFFECTIVE = 2;
/** Standard deviations between the share expected and the one before that make a judgment possible. */
const MIN_SEPARATION = 2.5;

/**
 * Whether lowering the rate changes the share of calls that are refused. Of a service that takes so many calls a second,
 * it falls to what that limit leaves to refuse; of one that refuses calls at random, it stays.
 */
export class Decreases {
  /** Share that was refused before the rate was lowered, and that a limit would make refused since. */
  #before = 0;
  #expected = 0;
  /** Of calls that were sent at the lowered rate. */
  #since: Outcomes = { accepted: 0, throttled: 0 };
  /** Outcomes at the rates that were lowered in vain, one after the other. */
  #ineffective: Outcomes[] = [];
  /** Before the lowerings that may have changed nothing. */
  #limit = Number.POSITIVE_INFINITY;

  /** Calls that were sent at the lowered rate and refused. */
  get throttled(): number {
    return this.#since.throttled;
  }

  count(outcome: keyof Outcomes): void {
    this.#since[outcome]++;
  }

  /**
   * The rate is to be lowered again.
   *
   * @param recent calls of late
   * @param limit before it is lowered
   * @param expected share that will be refused then, if the service takes as many calls a second as of late
   * @returns where it changed nothing: the limit before it was lowered in vain, and what is refused at any rate
   */
  next(recent: Outcomes, limit: number, expected: number): { limit: number; outcomes: Outcomes } | undefined {
    const since = this.#since;
    const gap = this.#before - this.#expected;
    const deviation = Math.sqrt(
      (this.#before * (1 - this.#before)) / Math.max(1, since.accepted + since.throttled),
    );
    // Where a limit would leave nearly as much to refuse as before, this lowering was too small a step to tell.
    const isFirst = this.#before === 0 || gap < MIN_GAP * this.#before;
    // Too few calls to tell: those at the next rate are added.
    if (!isFirst && gap < MIN_SEPARATION * deviation) return undefined;
    const share = shareThrottled(since);
    const isInVain = !isFirst && share > this.#expected + gap / 2 && share <= MAX_RANDOM_SHARE;
    if (isInVain) this.#ineffective.push(since);
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
