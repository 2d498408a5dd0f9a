import type { FastifyBaseLogger } from 'fastify';
import type { LoggedEvent } from '../../base/reference/logged-event.ts';

/** At most one line per interval: during an attack there are thousands of events per second. */
const EVERY_MS = 10_000;

/** Logs events by kind: the first immediately, then at most one line per 10 s with the count of each kind. */
export class EventLog<Kind extends string> {
  readonly #log: FastifyBaseLogger;
  readonly #event: LoggedEvent;
  readonly #describe: (counts: Partial<Record<Kind, number>>) => string;
  readonly #counts = new Map<Kind, number>();
  #timer: NodeJS.Timeout | undefined;

  constructor(
    log: FastifyBaseLogger,
    event: LoggedEvent,
    describe: (counts: Partial<Record<Kind, number>>) => string,
  ) {
    this.#log = log;
    this.#event = event;
    this.#describe = describe;
  }

  add(kind: Kind): void {
    this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + 1);
    if (this.#timer === undefined) this.#write();
  }

  #write(): void {
    this.#timer = undefined;
    if (this.#counts.size === 0) return;
    // `fromEntries` loses the type of the names.
    const counts = Object.fromEntries(this.#counts) as Partial<Record<Kind, number>>;
    this.#counts.clear();
    this.#log.warn<object>({ event: this.#event, ...counts }, this.#describe(counts));
    this.#timer = setTimeout(() => this.#write(), EVERY_MS).unref();
  }
}
