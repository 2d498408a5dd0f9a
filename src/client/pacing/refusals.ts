/** What became of some calls: the service took them, or refused them with 429. */
export interface Outcomes {
  taken: number;
  refused: number;
}

/** Share of the calls that were refused; 0 of none. */
export const shareRefused = ({ taken, refused }: Outcomes): number => refused / Math.max(1, taken + refused);

/** What became of both together. */
export const sum = (one: Outcomes, other: Outcomes): Outcomes => ({
  taken: one.taken + other.taken,
  refused: one.refused + other.refused,
});

/** Standard deviations beyond which a difference is not chance. */
const CHANCE = 3;

/** Whether more is refused now than before: a two-proportion z-test. */
export function isMore(now: Outcomes, before: Outcomes): boolean {
  const [calls, callsBefore] = [now.taken + now.refused, before.taken + before.refused];
  const all = shareRefused(sum(now, before));
  const deviation = Math.sqrt(all * (1 - all) * (1 / calls + 1 / callsBefore));
  return shareRefused(now) - shareRefused(before) > CHANCE * deviation;
}

/** Who refuses more of the calls is taken to have a limit. */
const MOST_AT_RANDOM = 0.6;
/** Share of what was refused before a lowering that it must be able to do away with. */
const LEAST_GAP = 0.3;
/** Refusals that make a share. */
const ENOUGH = 5;
/** So many lowerings in a row that changed nothing, and the refusals are not for the rate. */
const MOST_IN_VAIN = 2;
/** Standard deviations between the share expected and the one before that make a judgment possible. */
const APART = 2.5;

/**
 * Whether lowering the rate changes the share of calls that are refused. Of a service that takes so many calls a second,
 * it falls to what that limit leaves to refuse; of one that refuses calls at random, it stays.
 */
export class Lowerings {
  /** Share that was refused before the rate was lowered, and that a limit would make refused since. */
  #before = 0;
  #expected = 0;
  /** Of calls that were sent at the lowered rate. */
  #since: Outcomes = { taken: 0, refused: 0 };
  /** Outcomes at the rates that were lowered in vain, one after the other. */
  #inVain: Outcomes[] = [];
  /** Before the lowerings that may have changed nothing. */
  #limit = Number.POSITIVE_INFINITY;

  /** Calls that were sent at the lowered rate and refused. */
  get refused(): number {
    return this.#since.refused;
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
  again(
    recent: Outcomes,
    limit: number,
    expected: number,
  ): { limit: number; outcomes: Outcomes } | undefined {
    const since = this.#since;
    const gap = this.#before - this.#expected;
    const deviation = Math.sqrt(
      (this.#before * (1 - this.#before)) / Math.max(1, since.taken + since.refused),
    );
    // Where a limit would leave nearly as much to refuse as before, this lowering was too small a step to tell.
    const isFirst = this.#before === 0 || gap < LEAST_GAP * this.#before;
    // Too few calls to tell: those at the next rate are added.
    if (!isFirst && gap < APART * deviation) return undefined;
    const share = shareRefused(since);
    const isInVain = !isFirst && share > this.#expected + gap / 2 && share <= MOST_AT_RANDOM;
    if (isInVain) this.#inVain.push(since);
    else {
      this.#limit = limit;
      this.#inVain = [];
    }
    this.#before = shareRefused(since.refused < ENOUGH ? recent : since);
    this.#expected = expected;
    this.#since = { taken: 0, refused: 0 };
    if (this.#inVain.length < MOST_IN_VAIN) return undefined;
    const outcomes = this.#inVain.reduce(sum);
    this.#inVain = [];
    this.#before = 0;
    return { limit: this.#limit, outcomes };
  }
}
