import { setTimeout as sleep } from 'node:timers/promises';
import { alone, CellRate, type SharedPace } from '../../base/contract/shared-pace.ts';

/** Waiting batches check again after this long, because the share of this process may have changed. */
const MAX_SLEEP_MS = 500;

/** Spreads rows evenly over time. Processes that share a pace each have a part of it. */
export class RowPace {
  readonly #perSecond: number;
  readonly #shared: SharedPace | undefined;
  readonly #rows = new CellRate();
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
      const next = this.#rows.nextAt(share === 0 ? 0 : Math.min(this.#perSecond, ofAll) * share);
      if (next <= now) return this.#rows.sent(rows, next, now);
      await sleep(Math.min(next - now, MAX_SLEEP_MS), undefined, { signal });
    }
  }
}
