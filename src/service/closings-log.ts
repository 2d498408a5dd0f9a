import type { FastifyBaseLogger } from 'fastify';
import type { Closing } from './unused-connections.ts';

/** At most one line in this time: under an attack there are thousands of connections a second. */
const EVERY_MS = 10_000;

/** Logs that the limit of connections was reached: the first time at once, then how often since the last line. */
export class ClosingsLog {
  readonly #log: FastifyBaseLogger;
  readonly #limit: number;
  #counts: Record<Closing, number> = none();
  #timer: NodeJS.Timeout | undefined;

  constructor(log: FastifyBaseLogger, limit: number) {
    this.#log = log;
    this.#limit = limit;
  }

  add(closing: Closing): void {
    this.#counts[closing]++;
    if (this.#timer === undefined) this.#write();
  }

  #write(): void {
    this.#timer = undefined;
    const { idle, stalled, refused } = this.#counts;
    if (idle + stalled + refused === 0) return;
    this.#counts = none();
    this.#log.warn(
      { idle, stalled, refused },
      `the limit of ${this.#limit} connections was reached: closed ${idle} idle and ${stalled} stalled ones, ` +
        `refused ${refused} new ones`,
    );
    this.#timer = setTimeout(() => this.#write(), EVERY_MS).unref();
  }
}

const none = (): Record<Closing, number> => ({ idle: 0, stalled: 0, refused: 0 });
