import type { ChildProcessByStdio } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { Pool } from 'undici';

export const CONNECTIONS = 8;

export type Server = ChildProcessByStdio<null, Readable, Readable>;

/** A request that is sent again and again. */
export interface Load {
  name: string;
  path: string;
  personas: number;
  body: string | Buffer;
  /** 8 if omitted. */
  connections?: number;
}

export interface Measured {
  perSecond: number;
  p50: number;
  p99: number;
}

/** Sends requests as fast as the responses arrive, over all connections. */
export async function callFor(
  seconds: number,
  { url, key }: { url: string; key: string },
  { path, personas, body, connections = CONNECTIONS }: Load,
): Promise<Measured> {
  const pool = new Pool(url, { connections, pipelining: 1 });
  const headers = { authorization: `ApiKey ${key}`, 'content-type': 'application/json' };
  const times: number[] = [];
  const begun = performance.now();
  const end = begun + 1000 * seconds;
  const caller = async (): Promise<void> => {
    while (performance.now() < end) {
      const sent = performance.now();
      const { statusCode, body: answer } = await pool.request({ path, method: 'POST', headers, body });
      await answer.dump();
      if (statusCode !== 200) throw new Error(`${path} returned ${statusCode}`);
      times.push(performance.now() - sent);
    }
  };
  await Promise.all(Array.from({ length: connections }, caller));
  const took = (performance.now() - begun) / 1000;
  await pool.close();
  times.sort((a, b) => a - b);
  const quantile = (q: number) => times[Math.floor(q * times.length)] ?? Number.NaN;
  return { perSecond: (times.length * personas) / took, p50: quantile(0.5), p99: quantile(0.99) };
}

/** The address that a server prints when it listens. */
export async function urlOf(server: Server, stream: Readable): Promise<string> {
  for await (const line of createInterface({ input: stream })) {
    const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(line) ?? [];
    if (url !== undefined) return url;
  }
  throw new Error(`a server ended with ${server.exitCode} before it printed its address`);
}
