/** Requests and rows per second that all workers of a run may send together; infinite if there is no limit. */
export interface Rates {
  requests: number;
  rows: number;
}

/** When a request may be sent. */
export interface Slot {
  /** By the clock of the store, in milliseconds since 1970. */
  at: number;
  /** Milliseconds until then, when the store answered. */
  wait: number;
}

/**
 * Counts what the workers of a run send, with the clock of one server. No two requests get the same time: each comes 1/rate
 * after the one before it, and rows/rate after the last rows.
 */
export interface SlotStore {
  /**
   * Reserves the next time at which a request of a run may be sent. If the store has forgotten the run, that is now.
   *
   * @param run its key
   * @param rows in the request; 0 for one without rows, which waits for the last rows too
   * @param horizon in milliseconds: a time further away is returned, but not reserved; unlimited if omitted
   */
  reserve(run: string, rows: number, rates: Rates, horizon?: number): Promise<Slot>;
  /** Removes what is counted for a run. */
  forget(run: string): Promise<void>;
}
