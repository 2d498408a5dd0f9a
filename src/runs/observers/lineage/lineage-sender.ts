import { setTimeout as sleep } from 'node:timers/promises';
import { postJson } from '../post-json.ts';
import type { LineageSettings } from './lineage-settings.ts';
import type { RunEvent } from './run-events.ts';

/** How long to wait for the last requests. */
const LAST_MS = 5_000;
/** Further events are left out: the endpoint is too slow. */
const MAX_WAITING = 1_000;

/** Sends events over HTTP, one after the other, next to the run. A failure is one warning. */
export class LineageSender {
  readonly #endpoint: NonNullable<LineageSettings['endpoint']>;
  readonly #warn: (reason: string) => void;
  readonly #over = new AbortController();
  #last: Promise<void> = Promise.resolve();
  #waiting = 0;

  /** @param warn called with the reason of each failure */
  constructor(endpoint: NonNullable<LineageSettings['endpoint']>, warn: (reason: string) => void) {
    this.#endpoint = endpoint;
    this.#warn = warn;
  }

  send(event: RunEvent): void {
    if (this.#waiting >= MAX_WAITING) {
      this.#warn('the endpoint is too slow, so some events are left out');
      return;
    }
    this.#waiting++;
    this.#last = this.#last
      .then(() => this.#post(event))
      .finally(() => {
        this.#waiting--;
      });
  }

  /**
   * Waits for what is being sent, but not long.
   *
   * @param over ends the waiting if it is aborted meanwhile
   */
  async close(over: AbortSignal): Promise<void> {
    const done = new AbortController();
    const onStop = (): void => this.#over.abort(new Error('there was no time left to send all'));
    if (!over.aborted) over.addEventListener('abort', onStop, { signal: done.signal });
    void sleep(LAST_MS, undefined, { signal: done.signal }).then(onStop, () => {});
    await this.#last;
    done.abort();
  }

  async #post(event: RunEvent): Promise<void> {
    const failure = await postJson(event, this.#endpoint, this.#over.signal);
    if (failure !== undefined) this.#warn(failure.reason);
  }
}
