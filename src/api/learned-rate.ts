/** A limit that was met is met again after this long: probing it then costs a few calls in a hundred. */
const PLATEAU_MS = 12_000;
/** Share of a limit that calls go on with after it was met. */
const LOWERED = 0.9;
/** CUBIC's is 3: a higher one stays longer around the limit, and leaves it faster. */
const GROWTH = 5;
/** What a service takes is measured over the last one to two spans of this length. */
const SPAN_MS = 1_000;

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
 * Times are milliseconds of a clock that only goes forward.
 */
export class LearnedRate {
  /** Calls a second that the service took when it last refused one. */
  #limit = Number.POSITIVE_INFINITY;
  #loweredAt = Number.NEGATIVE_INFINITY;
  #span: Span;
  #before: Span | undefined;

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
  }

  /** A call that was sent at a time was refused. */
  refused(sentAt: number, now: number): void {
    this.#roll(now).refused++;
    // Of calls that were sent at one rate, the first refusal says it all.
    if (sentAt < this.#loweredAt) return;
    const { since, taken, refused } = this.#before === undefined ? this.#span : sum(this.#before, this.#span);
    // A service that takes nothing tells nothing of a rate: it is waited for, as Retry-After and backoff say.
    if (taken === 0) return;
    // Few calls make a poor estimate: no refusal lowers the rate to less than half.
    const measured = (Math.max(taken, (taken + refused) / 2) * 1000) / Math.max(1, now - since);
    this.#limit = Math.min(this.at(now), measured);
    this.#loweredAt = now;
    this.measureFrom(now);
  }

  /** What was taken before a time, or was not because no call was made, says nothing of the rate. */
  measureFrom(since: number): void {
    this.#span = { since, taken: 0, refused: 0 };
    this.#before = undefined;
  }

  #roll(now: number): Span {
    if (now - this.#span.since >= SPAN_MS) {
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
