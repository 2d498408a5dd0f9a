import { isMore, Lowerings, type Outcomes, sum } from './refusals.ts';

/** A limit that was met is met again after this long: probing it then costs a few calls in a hundred. */
const PLATEAU_MS = 12_000;
/** Share of a limit that calls go on with after it was met. */
const LOWERED = 0.9;
/** CUBIC's is 3: a higher one stays longer around the limit, and leaves it faster. */
const GROWTH = 5;
/** What a service takes is measured over the last one to two spans of this length, and of so many calls. */
const SPAN_MS = 1_000;
const SPAN_CALLS = 8;

/** At a low rate a plateau is as long as so many calls. */
const PLATEAU_CALLS = 25;
const LONGEST_PLATEAU_MS = 60_000;
/** Refusals at a rate that was just lowered before it is lowered again. */
const FEW = 5;
/** What a service refuses anyhow is measured again after so long, and so many calls. */
const ANYHOW_MS = 60_000;
const ANYHOW_CALLS = 1_000;

const NOTHING: Outcomes = { taken: 0, refused: 0 };

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
export class LearnedRate {
  /** Calls a second that the service took when it last refused one. */
  #limit = Number.POSITIVE_INFINITY;
  #loweredAt = Number.NEGATIVE_INFINITY;
  #span: Span;
  #before: Span | undefined;
  #plateau = PLATEAU_MS;
  readonly #lowerings = new Lowerings();
  /** Share of calls that the service refuses whatever the rate, as measured lately. */
  #anyhow = NOTHING;
  #measuredAt = 0;
  #callsSince = 0;

  constructor(now: number) {
    this.#span = { since: now, taken: 0, refused: 0 };
  }

  /** Calls a second. */
  at(now: number): number {
    if (this.#limit === Number.POSITIVE_INFINITY) return this.#limit;
    return this.#limit * LOWERED ** -(((now - this.#loweredAt) / this.#plateau - 1) ** GROWTH);
  }

  /** A call that was sent at a time was taken. */
  taken(sentAt: number, now: number): void {
    this.#roll(now).taken++;
    if (this.#isLowered(sentAt)) this.#lowerings.count('taken');
  }

  /** A call that was sent at a time was refused. */
  refused(sentAt: number, now: number): void {
    this.#roll(now).refused++;
    // Of calls that were sent at one rate, the first refusal says it all.
    if (sentAt < this.#loweredAt) return;
    const isLowered = this.#isLowered(sentAt);
    if (isLowered) this.#lowerings.count('refused');
    const recent =
      this.#before === undefined
        ? this.#span
        : { ...sum(this.#before, this.#span), since: this.#before.since };
    // A service that takes nothing tells nothing of a rate: it is waited for, as Retry-After and backoff say.
    if (recent.taken === 0 || recent.taken + recent.refused < SPAN_CALLS) return;
    if (isLowered && this.#lowerings.refused < FEW) return;
    if (now - this.#measuredAt > ANYHOW_MS && this.#callsSince > ANYHOW_CALLS) this.#anyhow = NOTHING;
    if (this.#anyhow.refused > 0 && !isMore(recent, this.#anyhow)) return;
    this.#lower(recent, now);
  }

  #lower(recent: Span, now: number): void {
    const { since, taken, refused } = recent;
    const perSecond = 1000 / Math.max(1, now - since);
    // Few calls make a poor estimate: no refusal lowers the rate to less than half.
    const limit = Math.min(this.at(now), Math.max(taken, (taken + refused) / 2) * perSecond);
    const expected = Math.max(0, 1 - (taken * perSecond) / (limit * LOWERED));
    const inVain = this.#lowerings.again(recent, Math.max(this.#limit, this.at(now)), expected);
    if (inVain !== undefined) {
      this.#anyhow = inVain.outcomes;
      this.#measuredAt = now;
      this.#callsSince = 0;
    }
    this.#limit = inVain?.limit ?? limit;
    this.#plateau = Math.min(LONGEST_PLATEAU_MS, Math.max(PLATEAU_MS, (1000 * PLATEAU_CALLS) / this.#limit));
    this.#loweredAt = now;
    this.#span = { since: now, taken: 0, refused: 0 };
    this.#before = undefined;
  }

  /** Whether the rate was not yet back where it had been lowered. */
  #isLowered(sentAt: number): boolean {
    const since = sentAt - this.#loweredAt;
    return this.#limit !== Number.POSITIVE_INFINITY && since >= 0 && since < this.#plateau;
  }

  /** For so many milliseconds no call was made, or will be, for other reasons than the rate. */
  excuse(ms: number): void {
    this.#span.since += ms;
    if (this.#before !== undefined) this.#before.since += ms;
  }

  #roll(now: number): Span {
    this.#callsSince++;
    const { since, taken, refused } = this.#span;
    if (now - since >= SPAN_MS && taken + refused >= SPAN_CALLS) {
      this.#before = this.#span;
      this.#span = { since: now, taken: 0, refused: 0 };
    }
    return this.#span;
  }
}
