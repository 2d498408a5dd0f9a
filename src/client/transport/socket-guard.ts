import type { Socket } from 'node:net';

/** Length of `HTTP/1.1 100`: enough of a response to recognize an interim one. */
const STATUS_END = 12;
const HEAD_END = Buffer.from('\r\n\r\n');
const NOTHING = Buffer.alloc(0);
const [CR, LF] = [0x0d, 0x0a];

/** Content types of the first TLS record of a server: alert and handshake (RFC 8446 section 5.1). */
const TLS_RECORDS = [0x15, 0x16];

/** Plain HTTP was sent to a server that expects TLS. */
export class TlsExpected extends Error {
  override readonly name = 'TlsExpected';
}

/** Number of bytes at the end of a chunk that are searched for an interim response. */
const MAX_TAIL_BYTES = 1024;

/**
 * Removes a `100 Continue` at the end of a chunk, which arrived together with the end of a response. JSON cannot end
 * like that; another body that does is later found to be too short.
 */
function withoutTail(chunk: Buffer): Buffer {
  if (chunk.length < HEAD_END.length || chunk.compare(HEAD_END, 0, 4, chunk.length - 4) !== 0) return chunk;
  const from = Math.max(0, chunk.length - MAX_TAIL_BYTES);
  const tail = /(?:HTTP\/1\.[01] 100(?: [^\r\n]*)?\r\n(?:[^\r\n]+\r\n)*\r\n)+$/.exec(
    chunk.toString('latin1', from),
  );
  return tail === null ? chunk : chunk.subarray(0, from + tail.index);
}

/**
 * Removes `100 Continue` from what a socket receives: undici closes the connection for it, but a server may send it
 * without being asked (RFC 9110 section 15.2.1). Other interim responses are passed on.
 *
 * @param maxHeadBytes size limit of an interim response; larger ones are passed on
 * @returns must be called when a request is sent: what arrives next is the beginning of a response
 */
export function guard(socket: Socket, maxHeadBytes: number): () => void {
  let isBeginning = true;
  let isFirst = true;
  /** The beginning of a response, while it is too short to recognize. */
  let held: Buffer = NOTHING;

  /** The part of the received bytes that is passed on to undici. */
  const filter = (chunk: Buffer): Buffer => {
    if (isFirst && TLS_RECORDS.some(type => type === chunk[0])) {
      socket.destroy(new TlsExpected('the service expects TLS'));
      return NOTHING;
    }
    isFirst = false;
    let rest = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
    held = NOTHING;
    const passed: Buffer[] = [];
    for (;;) {
      while (rest[0] === CR || rest[0] === LF) rest = rest.subarray(1);
      const status = rest.toString('latin1', 0, STATUS_END);
      const mayBeInterim = /^HTTP\/1\.[01] 1\d\d$/.test(
        status.padEnd(STATUS_END, 'HTTP/1.1 100'.slice(status.length)),
      );
      if (rest.length > 0 && !mayBeInterim) isBeginning = false;
      const end = isBeginning ? rest.indexOf(HEAD_END) : -1;
      if (isBeginning && end < 0 && rest.length <= maxHeadBytes) {
        held = rest;
        return Buffer.concat(passed);
      }
      if (end < 0) {
        isBeginning = false;
        const beginning = withoutTail(rest);
        return passed.length === 0 ? beginning : Buffer.concat([...passed, beginning]);
      }
      if (!status.endsWith('100')) passed.push(rest.subarray(0, end + HEAD_END.length));
      rest = rest.subarray(end + HEAD_END.length);
    }
  };

  const push = socket.push.bind(socket);
  socket.push = (chunk: Buffer | null) => {
    if (chunk === null) {
      if (held.length > 0) push(held);
      return push(null);
    }
    return push(isBeginning ? filter(chunk) : withoutTail(chunk));
  };
  return () => {
    isBeginning = true;
  };
}
