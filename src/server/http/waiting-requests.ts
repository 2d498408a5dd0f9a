import type { Socket } from 'node:net';

/** Each takes 1.5 KB before it is handled, and what is read from a socket at once may contain thousands. */
const MAX_WAITING = 32;

/**
 * The requests of a connection that wait for the response to an earlier one. Clients may send requests without waiting
 * for responses (pipelining, RFC 9112 section 9.3.2). Node would handle them all at once, and keep their responses in
 * memory until the client reads them.
 */
export class WaitingRequests {
  readonly #socket: Socket;
  readonly #waiting: (() => void)[] = [];

  constructor(socket: Socket) {
    this.#socket = socket;
    // Node resumes the socket whenever the body of a request is read.
    socket.on('resume', () => {
      if (this.#waiting.length > 0) socket.pause();
    });
  }

  /** Reads no further requests until all of those that wait are handled. @returns false if there are too many */
  add(handle: () => void): boolean {
    if (this.#waiting.length === MAX_WAITING) return false;
    this.#waiting.push(handle);
    this.#socket.pause();
    return true;
  }

  /** Handles the next one, unless the connection is closed after the previous response. */
  next(): void {
    if (!this.#socket.writable) return;
    const handle = this.#waiting.shift();
    if (handle === undefined) return;
    if (this.#waiting.length === 0) this.#socket.resume();
    handle();
  }
}
