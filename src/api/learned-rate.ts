/** A limit that was met is met again after this long: probing it then costs a few calls in a hundred. */
const PLATEAU_MS = 12_000;
/** Share of a limit that calls go on with after it was met. */
const LOWERED = 0.9;
/** CUBIC's is 3: a higher one stays longer around the limit, and leaves it faster. */
const GROWTH = 5;
/** What a service takes is measured over the last one to two spans of this length, and of so many calls. */
const SPAN_MS = 1_000;
const SPAN_CALLS = 8;

/** Refusals that come sooner after a lowering than this part of the plateau do not come of a rate that has grown. */
const SOON_MS = PLATEAU_MS / 2;
/** So many lowerings one upon the other find any limit; if few calls are refused then, it is not for their rate. */
const MOST_LOWERINGS = 4;
/** That share is not few. */
const MANY = 0.4;
/** Calls that tell how many a service refuses whatever the rate. */
const ENOUGH = 20;

/** What became of the calls that were made since a moment. */
interface Span {
  since: number;
  taken: number;
  refused: number;
}

/**
 * The rate of calls that a service takes, learned from those that it refuses with 429; without limit until it
 * refuses one. A refusal lowers the rate below what was being taken; it then grows like CUBIC's window (RFC 9438),
 * but relative: fast towards the limit, slowly around it, faster and faster when it is not met again.
 *
 * Some services refuse a few calls whatever the rate. What is still refused when the rate was lowered again and
 * again is such noise, and no more than that lowers nothing.
 *
 * Times are milliseconds of a clock that only goes forward.
 */
export class LearnedRate {
  /** Calls a second that the service took when it last refused one. */
  #limit = Number.POSITIVE_INFINITY;
  #loweredAt = Number.NEGATIVE_INFINITY;
  #span: Span;
  #before: Span | undefined;
  /** Lowerings that came soon one after the other. */
  #lowerings = 0;
  /** What became of the calls since those found nothing more to mend. */
  #calm = { taken: 0, refused: 0 };

  constructor(now: number) {
    this.#span = { since: now, taken: 0, refused: 0 };
  }

  /** Calls a second. */
  at(now: number): number {
    if (this.#limit === Number.POSITIVE_INFINITY) return this.#limit;
    return this.#limit * LOWERED ** -(((now - this.#loweredAt) / PLATEAU_MS - 1) ** GROWTH);
  }

  /** A call was taken. */
  taken(now: number): void {
    this.#roll(now).taken++;
    if (this.#lowerings >= MOST_LOWERINGS) this.#calm.taken++;
  }

  /** A call that was sent at a time was refused. */
  refused(sentAt: number, now: number): void {
    this.#roll(now).refused++;
    // Of calls that were sent at one rate, the first refusal says it all.
    if (sentAt < this.#loweredAt) return;
    const { since, taken, refused } = this.#before === undefined ? this.#span : sum(this.#before, this.#span);
    // A service that takes nothing tells nothing of a rate: it is waited for, as Retry-After and backoff say.
    if (taken === 0) return;
    if (!this.#isMeant(now, taken, refused)) return;
    // Few calls make a poor estimate: no refusal lowers the rate to less than half.
    const measured = (Math.max(taken, (taken + refused) / 2) * 1000) / Math.max(1, now - since);
    this.#limit = Math.min(this.at(now), measured);
    this.#loweredAt = now;
    this.#span = { since: now, taken: 0, refused: 0 };
    this.#before = undefined;
  }

  /** Whether a refusal means the rate, after so many calls of late. */
  #isMeant(now: number, taken: number, refused: number): boolean {
    // Less 1.2 standard deviations at most (binomial): of few calls, many are refused by chance.
    const isHeavy =
      taken + refused >= SPAN_CALLS && refused - 0.6 * Math.sqrt(taken + refused) >= MANY * (taken + refused);
    const isSoon = now - this.#loweredAt < SOON_MS;
    const calls = this.#calm.taken + this.#calm.refused;
    if (this.#lowerings >= MOST_LOWERINGS && !isHeavy) {
      this.#calm.refused++;
      if (calls < ENOUGH) return false;
      // Within three standard deviations (Poisson) of what is refused anyhow.
      const expected = ((taken + refused) * this.#calm.refused) / (calls + 1);
      if (this.#calm.refused > 1 && refused <= 1 + expected + 3 * Math.sqrt(expected)) return false;
    }
    this.#lowerings = isSoon ? this.#lowerings + 1 : 1;
    this.#calm = { taken: 0, refused: 0 };
    return true;
  }

  /** For so many milliseconds no call was made, or will be, for other reasons than the rate. */
  excuse(ms: number): void {
    this.#span.since += ms;
    if (this.#before !== undefined) this.#before.since += ms;
  }

  #roll(now: number): Span {
    const { since, taken, refused } = this.#span;
    if (now - since >= SPAN_MS && taken + refused >= SPAN_CALLS) {
      this.#before = this.#span;
      this.#span = { since: now, taken: 0, refused: 0 };
    }
    return this.#span;
  }
}

function sum(before: Span, span: Span): Span {
  return {
    since: before.since,
    taken: before.taken + span.taken,
    refused: before.refused + span.refused,
  };
}
