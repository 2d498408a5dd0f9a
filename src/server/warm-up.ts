import { randomBytes } from 'node:crypto';
import { Agent, request } from 'node:http';
import { json, text } from 'node:stream/consumers';
import { newestReportIds } from '../models/store/report-store.ts';
import { startService } from './server.ts';

/** Enough for V8 to compile most of the code; more requests gain little. */
const REQUESTS = 2_000;
const MAX_MS = 2_000;
const AT_ONCE = 8;

/**
 * Has V8 compile the code that serves single personas, so that the first requests cost about half as much. A second
 * service, on a free port of loopback and with a random key, answers requests of this process. Does nothing if there is
 * no report.
 *
 * @param ms the most time that it may take
 */
export async function warmUp(home: string, ms: number): Promise<void> {
  const end = performance.now() + Math.min(ms, MAX_MS);
  const [id] = await newestReportIds(home);
  if (id === undefined) return;
  const key = randomBytes(32).toString('base64url');
  const service = await startService({ home, host: '127.0.0.1', port: 0, key, metrics: false });
  const caller = { url: service.url, key, agent: new Agent({ keepAlive: true, maxSockets: AT_ONCE }) };
  try {
    const body = JSON.stringify({ id, features: await featuresOf(id, caller) });
    let left = REQUESTS;
    const sendMany = async (): Promise<void> => {
      while (left-- > 0 && performance.now() < end) await call(caller, '/user/persona', text, body);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, sendMany));
  } finally {
    caller.agent.destroy();
    await service.close(0);
  }
}

interface Caller {
  url: string;
  key: string;
  agent: Agent;
}

/** A value for each column of a report. */
async function featuresOf(id: string, caller: Caller): Promise<Record<string, string>> {
  // The service itself has written it, so it is a report; or a problem, which has no columns.
  const { columns = [] } = (await call(caller, `/user/report/${id}`, json)) as {
    columns?: { name: string }[];
  };
  return Object.fromEntries(columns.map(({ name }) => [name, '1']));
}

function call<T>(
  { url, key, agent }: Caller,
  path: string,
  read: (response: NodeJS.ReadableStream) => Promise<T>,
  body?: string,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const sent = request(url + path, {
      agent,
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `ApiKey ${key}`, 'content-type': 'application/json' },
    });
    sent.once('response', response => read(response).then(resolve, reject));
    sent.once('error', reject);
    sent.end(body);
  });
}
