import type { Socket } from 'node:net';
import { isOwnAddress, networkOf } from './client-network.ts';
import { type Closing, type Connection, type Handshake, longestUnused } from './unused-connections.ts';

export interface ConnectionLimits {
  /** The maximum number of connections. */
  limit: number;
  /** The maximum from one network, except from this machine; no limit if omitted. */
  networkLimit?: number;
  /** How long a connection counts as active while the service waits for its client, in milliseconds; by default 1 s. */
  stalledMs?: number;
}

/** A handshake, headers or the rest of a rejected body take a few packets. */
const STALLED_MS = 1_000;

/** Which connection to close because a new one was added, and why; undefined if no limit is exceeded. */
export function connectionToClose(
  open: ReadonlyMap<Socket, Connection>,
  handshakes: ReadonlyMap<string, Handshake>,
  added: Socket,
  { limit, networkLimit = limit, stalledMs = STALLED_MS }: ConnectionLimits,
): { socket: Socket; closing: Closing } | undefined {
  const count = open.size + handshakes.size;
  if (count > limit) return longestUnused(open, handshakes.values(), { added, stalledMs });
  if (count <= networkLimit || isOwnAddress(added.remoteAddress)) return undefined;
  const own = networkOf(added.remoteAddress ?? '');
  const ownOpen = [...open].filter(([, { network }]) => network === own);
  const ownHandshakes = [...handshakes.values()].filter(({ network }) => network === own);
  if (ownOpen.length + ownHandshakes.length <= networkLimit) return undefined;
  return longestUnused(ownOpen, ownHandshakes, { added, stalledMs });
}
