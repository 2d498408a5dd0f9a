import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { busy } from '../server/limits/shares.ts';
import { onRequestEnd } from '../server/request-end.ts';
import { sessionOf } from './session/require-session.ts';
import type { Session } from './session/sessions.ts';

/** A value that changes until it is final, for those who watch it. */
export class Watched<T> {
  #value: T;
  #version = 1;
  #isFinal = false;
  readonly #waiting = new Set<() => void>();

  constructor(value: T) {
    this.#value = value;
  }

  /** A value that does not change any more. */
  static final<T>(value: T): Watched<T> {
    const watched = new Watched(value);
    watched.setFinal(value);
    return watched;
  }

  get value(): T {
    return this.#value;
  }

  /** Counts the changes, from 1. */
  get version(): number {
    return this.#version;
  }

  /** Whether it will not change any more. */
  get isFinal(): boolean {
    return this.#isFinal;
  }

  set(value: T): void {
    if (this.#isFinal) return;
    this.#value = value;
    this.#version++;
    for (const wake of [...this.#waiting]) wake();
  }

  setFinal(value: T): void {
    this.set(value);
    this.#isFinal = true;
  }

  /**
   * Waits for another version than one that was seen.
   *
   * @returns false if it was still the same after `ms` milliseconds, or when the signal was aborted
   */
  async changed(seen: number, ms: number, signal: AbortSignal): Promise<boolean> {
    if (this.#version === seen && !this.#isFinal && !signal.aborted)
      await new Promise<void>(resolve => {
        const wake = (): void => {
          clearTimeout(timer);
          this.#waiting.delete(wake);
          signal.removeEventListener('abort', wake);
          resolve();
        };
        const timer = setTimeout(wake, ms);
        this.#waiting.add(wake);
        signal.addEventListener('abort', wake);
      });
    return this.#version !== seen;
  }
}

/** Between two comments on a stream without events, so that neither side takes the connection for dead. */
const HEARTBEAT_MS = 15_000;
/** Between two events: of several changes meanwhile only the last is sent. */
const INTERVAL_MS = 250;
/** After this time a browser connects again, in milliseconds. */
const RETRY_MS = 2_000;

/**
 * Server-sent events about a value (https://html.spec.whatwg.org/multipage/server-sent-events.html): `state` with the
 * current value at once and after each change, until it is final, or `closed` when the session ends first. Every event
 * is the whole state, so a browser that connects again needs nothing of what it has missed.
 *
 * @param ended aborted when nothing more is to be sent
 */
export async function* eventsOf<T>(
  watched: Watched<T>,
  ended: AbortSignal,
  { heartbeatMs = HEARTBEAT_MS, intervalMs = INTERVAL_MS } = {},
): AsyncGenerator<string> {
  yield `retry: ${RETRY_MS}\n\n`;
  for (let seen = 0; !ended.aborted; ) {
    if (watched.version === seen && !(await watched.changed(seen, heartbeatMs, ended))) {
      if (!ended.aborted) yield ': still here\n\n';
      continue;
    }
    const { version, isFinal, value } = watched;
    seen = version;
    yield `id: ${version}\nevent: state\ndata: ${JSON.stringify(value)}\n\n`;
    if (isFinal) return;
    await sleep(intervalMs, undefined, { signal: ended }).catch(() => {}); // the session has ended
  }
  yield 'event: closed\ndata: {}\n\n';
}

/** Streams of one session: about as many as a browser opens to one host over HTTP/1.1. */
const MAX_STREAMS = 8;
const RETRY_SECONDS = 5;
const open = new WeakMap<Session, number>();

/**
 * Responds with the events of a value.
 *
 * @throws RequestError `busy` if the session has too many streams
 */
export function sendEvents<T>(
  request: FastifyRequest,
  reply: FastifyReply,
  watched: Watched<T>,
): FastifyReply {
  const session = sessionOf(request);
  const count = open.get(session) ?? 0;
  if (count >= MAX_STREAMS)
    throw busy(
      reply,
      `This session watches ${count} trainings and runs already; close some of the pages.`,
      RETRY_SECONDS,
    );
  open.set(session, count + 1);
  onRequestEnd(reply, () => open.set(session, (open.get(session) ?? 1) - 1));
  // A proxy such as nginx would collect the events otherwise.
  reply.type('text/event-stream; charset=utf-8').header('x-accel-buffering', 'no');
  return reply.send(Readable.from(eventsOf(watched, session.ended), { highWaterMark: 1 }));
}
