import {
  alone,
  DECREASE,
  type LearnedRate,
  rateOf,
  type SharedLimits,
} from '../../base/contract/shared-pace.ts';
import { Decreases, isSignificantlyMore, type Outcomes, sum } from './throttling.ts';

/** Time until the rate reaches the last known limit again: probing it costs a few percent of the requests. */
const PLATEAU_MS = 12_000;
/** The accepted rate is measured over the last one to two spans of at least this length and this many requests. */
const SPAN_MS = 1_000;
const SPAN_CALLS = 8;

/** At low rates, a plateau lasts at least this many requests. */
const PLATEAU_CALLS = 25;
const MAX_PLATEAU_MS = 60_000;
/** Number of 429s at a decreased rate before it is decreased again. */
const MIN_THROTTLED = 5;
/** The baseline of 429s at any rate is measured again after this long and this many requests. */
const BASELINE_MS = 60_000;
const BASELINE_CALLS = 1_000;

const NO_OUTCOMES: Outcomes = { accepted: 0, throttled: 0 };

/** Outcomes of the requests since a point in time. */
interface Span extends Outcomes {
  since: number;
}

/**
 * The request rate that a service accepts, learned from 429 responses; unlimited until the first one. A 429 decreases
 * the rate below what was being accepted. The rate then grows like CUBIC's window (RFC 9438), but in relative terms:
 * fast towards the limit, slowly around it, and faster and faster if no 429 follows.
 *
 * Some services respond with 429 at any rate. If a decrease does not change the share of 429s, that share becomes the
 * baseline, and only a larger share counts as a limit again.
 *
 * If several processes share the rate, each learns the rate of all of them from its own requests.
 *
 * Times are milliseconds of a monotonic clock.
 */
export class AdaptiveRate {
  /** Accepted requests per second of all processes when the last 429 arrived. */
  #limit = Number.POSITIVE_INFINITY;
  #decreasedAt = Number.NEGATIVE_INFINITY;
  /** Requests per second of this process that were accepted before the rate was decreased. */
  #acceptedBefore = 0;
  #span: Span;
  #previousSpan: Span | undefined;
  #plateau = PLATEAU_MS;
  readonly #decreases = new Decreases();
  /** The last measured share of 429s that does not depend on the rate. */
  #baseline = NO_OUTCOMES;
  #measuredAt = 0;
  #callsSince = 0;

  constructor(now: number) {
    this.#span = { since: now, accepted: 0, throttled: 0 };
  }

  /** Requests per second of all processes. */
  at(now: number): number {
    const learned = this.learned(now);
    return learned === null ? Number.POSITIVE_INFINITY : rateOf(learned);
  }

  /** What other processes can follow; null before the first 429. */
  learned(now: number): LearnedRate | null {
    if (this.#limit === Number.POSITIVE_INFINITY) return null;
    return { limit: this.#limit, plateau: this.#plateau, age: now - this.#decreasedAt };
  }

  /** Requests per second of this process that were accepted recently. */
  acceptedAt(now: number): number {
    const { accepted, since } = this.#recent;
    return now - since < SPAN_MS ? this.#acceptedBefore : (1000 * accepted) / (now - since);
  }

  accepted(sentAt: number, now: number): void {
    this.#roll(now).accepted++;
    if (this.#isDecreased(sentAt)) this.#decreases.count('accepted');
  }

  /**
   * A request was rejected with 429.
   *
   * @param shared the part of the rate that this process may use, and what is accepted from the others
   */
  throttled(sentAt: number, now: number, shared: Pick<SharedLimits, 'share' | 'accepted'> = alone): void {
    this.#roll(now).throttled++;
    // Only the first 429 among requests that were sent at the same rate counts.
    if (sentAt < this.#decreasedAt) return;
    const isDecreased = this.#isDecreased(sentAt);
    if (isDecreased) this.#decreases.count('throttled');
    const recent = this.#recent;
    // If nothing is accepted, no rate can be measured; Retry-After and backoff apply.
    if (recent.accepted === 0 || recent.accepted + recent.throttled < SPAN_CALLS) return;
    if (isDecreased && this.#decreases.throttled < MIN_THROTTLED) return;
    if (now - this.#measuredAt > BASELINE_MS && this.#callsSince > BASELINE_CALLS)
      this.#baseline = NO_OUTCOMES;
    if (this.#baseline.throttled > 0 && !isSignificantlyMore(recent, this.#baseline)) return;
    this.#decrease(recent, now, shared);
  }

  #decrease(recent: Span, now: number, { share, accepted }: Pick<SharedLimits, 'share' | 'accepted'>): void {
    const { since, accepted: taken, throttled: refused } = recent;
    const perSecond = 1000 / Math.max(1, now - since);
    // A process that does not use its share would take the rate of all for too low, and so would one whose others
    // have not told theirs yet.
    const ofAll = (calls: number): number =>
      Math.max((calls * perSecond) / (share || 1), calls * perSecond + accepted);
    // Few requests make a poor estimate, so a single decrease never goes below half.
    const limit = Math.min(this.at(now), ofAll(Math.max(taken, (taken + refused) / 2)));
    const expected = Math.max(0, 1 - ofAll(taken) / (limit * DECREASE));
    const ineffective = this.#decreases.next(recent, Math.max(this.#limit, this.at(now)), expected);
    if (ineffective !== undefined) {
      this.#baseline = ineffective.outcomes;
      this.#measuredAt = now;
      this.#callsSince = 0;
    }
    this.#limit = ineffective?.limit ?? limit;
    this.#plateau = Math.min(MAX_PLATEAU_MS, Math.max(PLATEAU_MS, (1000 * PLATEAU_CALLS) / this.#limit));
    this.#decreasedAt = now;
    this.#acceptedBefore = taken * perSecond;
    this.#span = { since: now, accepted: 0, throttled: 0 };
    this.#previousSpan = undefined;
  }

  /** Outcomes of the last one to two spans. */
  get #recent(): Span {
    const before = this.#previousSpan;
    return before === undefined ? this.#span : { ...sum(before, this.#span), since: before.since };
  }

  /** Whether the rate had not recovered from the last decrease when the request was sent. */
  #isDecreased(sentAt: number): boolean {
    const since = sentAt - this.#decreasedAt;
    return this.#limit !== Number.POSITIVE_INFINITY && since >= 0 && since < this.#plateau;
  }

  /** Excludes idle time: for this many milliseconds, no request was sent for reasons other than the rate. */
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
