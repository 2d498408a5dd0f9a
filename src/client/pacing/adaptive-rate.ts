import { Decreases, isSignificantlyMore, type Outcomes, sum } from './throttling.ts';

/** A limit that was met is met again after this long: probing it then costs a few calls in a hundred. */
const PLATEAU_MS = 12_000;
/** Share of a limit that calls go on with after it was met. */
const DECREASE = 0.9;
/** CUBIC's is 3: a higher one stays longer around the limit, and leaves it faster. */
const GROWTH = 5;
/** What a service takes is measured over the last one to two spans of this length, and of so many calls. */
const SPAN_MS = 1_000;
const SPAN_CALLS = 8;

/** At a low rate a plateau is as long as so many calls. */
const PLATEAU_CALLS = 25;
const MAX_PLATEAU_MS = 60_000;
/** Refusals at a rate that was just lowered before it is lowered again. */
const MIN_THROTTLED = 5;
/** What a service refuses anyhow is measured again after so long, and so many calls. */
const BASELINE_MS = 60_000;
const BASELINE_CALLS = 1_000;

const NO_OUTCOMES: Outcomes = { accepted: 0, throttled: 0 };

/** What became of the calls that were made since a moment. */
interface Span extends Outcomes {
  since: number;
}

/**
 * The rate of calls that a service takes, learned from those that it refuses with 429; without limit until it
 * refuses one. A refusal lowers the rate below what was being taken; it then grows like CUBIC's window (RFC 9438),
 * but relative: fast towards the limit, slowly around it, faster and faster when it is not met again.
 *
 * Some services refuse calls whatever the rate. Where lowering it does not change the share that is refused, the limit
 * is void, and only a larger share means a limit again.
 *
 * Times are milliseconds of a clock that only goes forward.
 */
export class AdaptiveRate {
  /** Calls a second that the service took when it last refused one. */
  #limit = Number.POSITIVE_INFINITY;
  #decreasedAt = Number.NEGATIVE_INFINITY;
  #span: Span;
  #previousSpan: Span | undefined;
  #plateau = PLATEAU_MS;
  readonly #decreases = new Decreases();
  /** Share of calls that the service refuses whatever the rate, as measured lately. */
  #baseline = NO_OUTCOMES;
  #measuredAt = 0;
  #callsSince = 0;

  constructor(now: number) {
    this.#span = { since: now, accepted: 0, throttled: 0 };
  }

  /** Calls a second. */
  at(now: number): number {
    if (this.#limit === Number.POSITIVE_INFINITY) return this.#limit;
    return this.#limit * DECREASE ** -(((now - this.#decreasedAt) / this.#plateau - 1) ** GROWTH);
  }

  /** A call that was sent at a time was taken. */
  accepted(sentAt: number, now: number): void {
    this.#roll(now).accepted++;
    if (this.#isDecreased(sentAt)) this.#decreases.count('accepted');
  }

  /** A call that was sent at a time was refused. */
  throttled(sentAt: number, now: number): void {
    this.#roll(now).throttled++;
    // Of calls that were sent at one rate, the first refusal says it all.
    if (sentAt < this.#decreasedAt) return;
    const isLowered = this.#isDecreased(sentAt);
    if (isLowered) this.#decreases.count('throttled');
    const recent =
      this.#previousSpan === undefined
        ? this.#span
        : { ...sum(this.#previousSpan, this.#span), since: this.#previousSpan.since };
    // A service that takes nothing tells nothing of a rate: it is waited for, as Retry-After and backoff say.
    if (recent.accepted === 0 || recent.accepted + recent.throttled < SPAN_CALLS) return;
    if (isLowered && this.#decreases.throttled < MIN_THROTTLED) return;
    if (now - this.#measuredAt > BASELINE_MS && this.#callsSince > BASELINE_CALLS)
      this.#baseline = NO_OUTCOMES;
    if (this.#baseline.throttled > 0 && !isSignificantlyMore(recent, this.#baseline)) return;
    this.#decrease(recent, now);
  }

  #decrease(recent: Span, now: number): void {
    const { since, accepted: taken, throttled: refused } = recent;
    const perSecond = 1000 / Math.max(1, now - since);
    // Few calls make a poor estimate: no refusal lowers the rate to less than half.
    const limit = Math.min(this.at(now), Math.max(taken, (taken + refused) / 2) * perSecond);
    const expected = Math.max(0, 1 - (taken * perSecond) / (limit * DECREASE));
    const inVain = this.#decreases.next(recent, Math.max(this.#limit, this.at(now)), expected);
    if (inVain !== undefined) {
      this.#baseline = inVain.outcomes;
      this.#measuredAt = now;
      this.#callsSince = 0;
    }
    this.#limit = inVain?.limit ?? limit;
    this.#plateau = Math.min(MAX_PLATEAU_MS, Math.max(PLATEAU_MS, (1000 * PLATEAU_CALLS) / this.#limit));
    this.#decreasedAt = now;
    this.#span = { since: now, accepted: 0, throttled: 0 };
    this.#previousSpan = undefined;
  }

  /** Whether the rate was not yet back where it had been lowered. */
  #isDecreased(sentAt: number): boolean {
    const since = sentAt - this.#decreasedAt;
    return this.#limit !== Number.POSITIVE_INFINITY && since >= 0 && since < this.#plateau;
  }

  /** For so many milliseconds no call was made, or will be, for other reasons than the rate. */
  ignoreIdle(ms: number): void {
    this.#span.since += ms;
    if (this.#previousSpan !== undefined) this.#previousSpan.since += ms;
  }

  #roll(now: number): Span {
    this.#callsSince++;
    const { since, accepted: taken, throttled: refused } = this.#span;
    if (now - since >= SPAN_MS && taken + refused >= SPAN_CALLS) {
      this.#previousSpan = this.#span;
      this.#span = { since: now, accepted: 0, throttled: 0 };
    }
    return this.#span;
  }
}
