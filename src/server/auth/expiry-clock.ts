/** How long a clock that has jumped forward is not trusted. */
const TRUST_AFTER_MS = 30_000;

/** The clocks to read, in milliseconds. */
export interface Clocks {
  /** Since the epoch; may be set. */
  wall(): number;
  /** Since any moment; never set. */
  monotonic(): number;
}

const ownClocks: Clocks = { wall: () => Date.now(), monotonic: () => performance.now() };

/**
 * The time by which keys expire. It does not go back when the machine's clock is set back, so that a key that has expired
 * stays expired. A jump forward counts at once, but is forgotten if the clock is set right within 30 s: otherwise a
 * mistake would make keys expire for good.
 */
export class ExpiryClock {
  readonly #clocks: Clocks;
  /** The time since the epoch at the zero of the monotonic clock, as far as it is trusted. */
  #zero: number;
  /** Since when the machine's clock has been ahead of the trusted time, by the monotonic clock. */
  #aheadSince: number | undefined;

  constructor(clocks: Clocks = ownClocks) {
    this.#clocks = clocks;
    this.#zero = clocks.wall() - clocks.monotonic();
  }

  /** Milliseconds since the epoch. */
  now(): number {
    const wall = this.#clocks.wall();
    const monotonic = this.#clocks.monotonic();
    const ahead = wall - (this.#zero + monotonic);
    if (ahead <= 0) {
      this.#aheadSince = undefined;
      return wall - ahead;
    }
    this.#aheadSince ??= monotonic;
    // A small difference is the clock being adjusted, as NTP does.
    if (ahead < TRUST_AFTER_MS || monotonic - this.#aheadSince >= TRUST_AFTER_MS) {
      this.#zero += ahead;
      this.#aheadSince = undefined;
    }
    return wall;
  }

  /** Trusts the machine's clock as it is now, also if it was set back. */
  reset(): void {
    this.#zero = this.#clocks.wall() - this.#clocks.monotonic();
    this.#aheadSince = undefined;
  }
}
