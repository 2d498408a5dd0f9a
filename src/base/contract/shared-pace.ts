/** What the processes of a run may send together, and the part of it that is this process's own. */
export interface SharedLimits {
  /** Factor of all rates, those that this process has found itself included. 0: it must not send anything now. */
  share: number;
  /** Requests and rows per second of all processes, also what this one was given; infinite if there is no limit. */
  requests: number;
  rows: number;
  /** Requests per second that the service advertises, for a process that got no such header itself. */
  advertised: number;
  /** Requests per second of the other processes that the service accepts. */
  accepted: number;
  /** No process sends anything before this time, from `performance.now()`. */
  pausedUntil: number;
}

/** A rate that was learned from 429 responses, and grows again: see `AdaptiveRate`. */
export interface LearnedRate {
  /** Requests per second of all processes when the last 429 arrived. */
  limit: number;
  /** Milliseconds until it is reached again, and since the 429. */
  plateau: number;
  age: number;
}

/** After a 429 the rate drops to this share of the limit. */
export const DECREASE = 0.9;
/** Exponent of the growth curve. CUBIC uses 3; a higher one stays near the limit longer and then leaves it faster. */
const GROWTH = 5;

/** Requests per second that follow from a rate that was learned. */
export const rateOf = ({ limit, plateau, age }: LearnedRate): number =>
  limit * DECREASE ** -((age / plateau - 1) ** GROWTH);

/** What the responses to one process say about the limits of the service. */
export interface Learned {
  rate: LearnedRate | null;
  /** The limit in the service's headers: requests per second of all processes; null seconds: until further notice. */
  advertised: { rate: number; seconds: number | null } | null;
  /** Milliseconds for which the service asks to be left alone. */
  pause: number;
  /** Requests per second that the service accepts from this process. */
  accepted: number;
}

/** How several processes keep one pace. */
export interface SharedPace {
  limits(now: number): SharedLimits;
  /** Tells the others what this process learns. @param learned asked now and then */
  tell(learned: (now: number) => Learned): void;
}

/** The limits of a process that shares nothing. */
export const alone: SharedLimits = {
  share: 1,
  requests: Number.POSITIVE_INFINITY,
  rows: Number.POSITIVE_INFINITY,
  advertised: Number.POSITIVE_INFINITY,
  accepted: 0,
  pausedUntil: 0,
};

/** Timers are coarse: what is late may catch up by this much. */
const MAX_CATCH_UP_MS = 20;

/** The generic cell rate algorithm (ITU-T I.371) with a rate that varies. Times are from `performance.now()`. */
export class CellRate {
  /** How much was sent last, and when it was, or should have been. */
  #last = { at: 0, count: 0 };

  /** The time from which the next may be sent. @param perSecond may be infinite; with 0, that is never */
  nextAt(perSecond: number): number {
    if (perSecond === 0) return Number.POSITIVE_INFINITY;
    return this.#last.at + (1000 * this.#last.count) / perSecond;
  }

  /** Notes what is sent now. @param due what `nextAt` has said */
  sent(count: number, due: number, now: number): void {
    this.#last = { at: Math.max(due, now - MAX_CATCH_UP_MS), count };
  }
}
