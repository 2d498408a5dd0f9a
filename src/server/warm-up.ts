import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { newestReportIds, readReport } from '../models/store/report-store.ts';
import { startServer } from './server.ts';

/** Enough for V8 to compile most of the code; more requests gain little. */
const REQUESTS = 2_000;
const MAX_MS = 2_000;
const AT_ONCE = 8;

/**
 * Has V8 compile the code that serves single personas, so that the first requests cost about half as much. A second
 * service, on a free port of loopback and with a random key, responds to requests of this process. Does nothing if there is
 * no report.
 *
 * @param ms the most time that it may take
 * @returns how many requests received a prediction
 */
export async function warmUp(home: string, ms: number): Promise<number> {
  const end = performance.now() + Math.min(ms, MAX_MS);
  const [id] = await newestReportIds(home);
  if (id === undefined) return 0;
  const { columns } = await readReport(home, id);
  const body = JSON.stringify({ id, features: Object.fromEntries(columns.map(({ name }) => [name, '1'])) });
  const key = randomBytes(32).toString('base64url');
  // Without metrics, because what collects those of the process is never closed.
  const service = await startServer({ home, host: '127.0.0.1', port: 0, key, metrics: false });
  let left = REQUESTS;
  const hasMore = (): boolean => left-- > 0 && performance.now() < end;
  try {
    const { host, port } = new URL(service.url);
    const head = `POST /user/persona HTTP/1.1\r\nHost: ${host}\r\nAuthorization: ApiKey ${key}\r\nContent-Type: application/json`;
    const message = `${head}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
    const counts = await Promise.all(
      Array.from({ length: AT_ONCE }, () => sendOver(Number(port), message, hasMore)),
    );
    return counts.reduce((sum, count) => sum + count);
  } finally {
    await service.close(0);
  }
}

/**
 * Sends a request over one connection, again after each response while there are more to send. It does without Node's
 * HTTP client: V8 would compile what the client shares with the server for both, and each request would take 6 %
 * longer.
 *
 * @returns how many responses were predictions
 */
async function sendOver(port: number, message: string, hasMore: () => boolean): Promise<number> {
  let predictions = 0;
  const socket = connect(port, '127.0.0.1', () => socket.write(message));
  // A response is written at once. If it came in parts, there would only be more requests at a time.
  socket.on('data', part => {
    if (part.toString('latin1', 0, 12) === 'HTTP/1.1 200') predictions++;
    if (hasMore()) socket.write(message);
    else socket.destroy();
  });
  await once(socket, 'close');
  return predictions;
}
