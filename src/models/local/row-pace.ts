import { setTimeout as sleep } from 'node:timers/promises';
import { alone, type SharedPace } from '../../base/contract/shared-pace.ts';

/** Waiting batches check again after this long, because the share of this process may have changed. */
const MAX_SLEEP_MS = 500;
/** Timers are coarse: rows that are scored late may catch up by this much. */
const MAX_CATCH_UP_MS = 20;

/** Spreads rows evenly over time. Processes that share a pace each have a part of it, or count rows in one place. */
export class RowPace {
  readonly #perSecond: number;
  readonly #shared: SharedPace | undefined;
  /** The last rows, and when they were scored, from `performance.now()`. */
  #last = { at: 0, rows: 0 };
  /** Rows are scored in the order in which they were asked for. */
  #turn: Promise<unknown> = Promise.resolve();

  /** @param perSecond no limit if omitted */
  constructor(perSecond = Number.POSITIVE_INFINITY, shared?: SharedPace) {
    this.#perSecond = shared === undefined ? perSecond : Number.POSITIVE_INFINITY; // what is shared has it too
    this.#shared = shared;
  }

  /** Waits until this many rows may be scored. @throws AbortError */
  async next(rows: number, signal: AbortSignal): Promise<void> {
    if (this.#perSecond === Number.POSITIVE_INFINITY && this.#shared === undefined) return;
    const turn = this.#turn.then(() => this.#wait(rows, signal));
    this.#turn = turn.catch(() => {});
    await turn;
  }

  async #wait(rows: number, signal: AbortSignal): Promise<void> {
    for (;;) {
      signal.throwIfAborted();
      const now = performance.now();
      const { share, rows: ofAll } = this.#shared?.limits(now) ?? alone;
      const { at, rows: before } = this.#last;
      const next =
        share === 0
          ? Number.POSITIVE_INFINITY
          : at + (1000 * before) / (Math.min(this.#perSecond, ofAll) * share);
      if (next <= now) {
        this.#last = { at: Math.max(next, now - MAX_CATCH_UP_MS), rows };
        await this.#shared?.take?.(rows, signal);
        return;
      }
      await sleep(Math.min(next - now, MAX_SLEEP_MS), undefined, { signal });
    }
  }
}
