// Measures how long requests take while other clients send a burst of pipelined requests: 990 connections, each with
// one write of 64 KiB of tiny requests, which come from another process. On the port of the API, a persona every 5 ms;
// on that for administration, a health check.
//   node dist/test/bench/service/burst.js [ROUNDS [ROOT...]]

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import { peakOf } from '../../crash/memory.ts';
import { root } from '../../support/root.ts';
import { median, run } from '../runs.ts';
import type { Server } from './calls.ts';

const KEY = 'key-of-the-bench';
const CONNECTIONS = 990;
const WRITE_BYTES = 64 << 10;
const SECONDS = 4;
const valid = 'GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n';
/** What each connection sends; a single request is what ordinary clients send at the same moment. */
const writes = {
  'a single request': valid,
  'valid requests': repeated(valid),
  // Without a Host.
  'malformed requests': repeated('GET / HTTP/1.1\r\n\r\n'),
};
const kinds = Object.keys(writes) as (keyof typeof writes)[];

function repeated(request: string): string {
  return request.repeat(Math.floor(WRITE_BYTES / request.length));
}

interface Times {
  median: number;
  max: number;
}

const timesOf = (times: readonly number[]): Times => ({
  median: median([...times]),
  max: Math.max(...times),
});

/** In a process of its own: opens the connections, says so, and sends when a line arrives. */
async function flood(port: number, bytes: string): Promise<void> {
  const open = Array.from({ length: CONNECTIONS }, () => {
    const socket = connect(port, '127.0.0.1').on('error', () => {});
    socket.resume();
    return socket;
  });
  await Promise.all(open.map(socket => Promise.race([once(socket, 'connect'), once(socket, 'close')])));
  process.stdout.write('open\n');
  await once(process.stdin, 'data');
  for (const socket of open) socket.write(bytes);
}

/** Sends a request every 5 ms until `isOver`, one after the other. @returns how long each took, in milliseconds */
async function probe(pool: Pool, isPersona: boolean, isOver: () => boolean): Promise<number[]> {
  const times: number[] = [];
  const headers = { authorization: `ApiKey ${KEY}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ id: 'churn', features: { tenure: 3, contract: 'monthly' } });
  while (!isOver()) {
    const sent = performance.now();
    const response = isPersona
      ? await pool.request({ path: '/user/persona', method: 'POST', headers, body })
      : await pool.request({ path: '/healthz', method: 'GET' });
    await response.body.dump();
    if (response.statusCode !== 200) throw new Error(`a probe returned ${response.statusCode}`);
    times.push(performance.now() - sent);
    await sleep(5);
  }
  return times;
}

const during = (seconds: number): (() => boolean) => {
  const end = performance.now() + 1000 * seconds;
  return () => performance.now() >= end;
};

async function measure(rootOf: string, home: string, isAdmin: boolean, kind: keyof typeof writes) {
  const env = { PATH: process.env.PATH, ROWCAST_HOME: home, ROWCAST_API_KEY: KEY };
  const args = [join(rootOf, 'dist/src/bundle/rowcast.js'), 'serve', '--port', '0', '--admin-port', '0'];
  const server: Server = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  try {
    const ports: number[] = [];
    for await (const line of createInterface({ input: server.stderr })) {
      for (const [, port] of line.matchAll(/http:\/\/127\.0\.0\.1:(\d+)/g)) ports.push(Number(port));
      if (ports.length >= 2) break;
    }
    server.stderr.resume();
    const port = ports[isAdmin ? 1 : 0] ?? 0;
    const pool = new Pool(`http://127.0.0.1:${port}`, { connections: 1, pipelining: 1 });
    await probe(pool, !isAdmin, during(2));
    const others = spawn(process.execPath, [import.meta.filename, 'flood', String(port), kind], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    await once(others.stdout, 'data');
    const without = await probe(pool, !isAdmin, during(SECONDS));
    others.stdin.write('now\n');
    const burst = await probe(pool, !isAdmin, during(SECONDS));
    others.kill();
    await pool.close();
    return { without: timesOf(without), burst: timesOf(burst), peak: await peakOf(server.pid) };
  } finally {
    server.kill();
  }
}

async function main(): Promise<void> {
  const rounds = Number(process.argv[2] ?? 3);
  const roots = process.argv.length > 3 ? process.argv.slice(3) : [root];
  const home = await mkdtemp(join(tmpdir(), 'rowcast-bench-'));
  try {
    const history = join(root, 'fixtures/telecom-history.csv');
    const bin = join(root, 'dist/src/bundle/rowcast.js');
    const train = ['train', history, '--predict', 'churned', '--report', 'churn', '--home', home];
    await run({ file: process.execPath, args: [bin, ...train] });
    process.stdout.write(
      `load ${loadavg()[0]?.toFixed(1)}, Node ${process.version}, medians of ${rounds} rounds\n\n` +
        '| port | each connection sends | build | without: median, max ms | burst: median, max ms | peak MB |\n|---|---|---|---|---|---|\n',
    );
    for (const isAdmin of [false, true])
      for (const kind of kinds)
        for (const [index, each] of roots.entries()) {
          const all: Awaited<ReturnType<typeof measure>>[] = [];
          for (let round = 0; round < rounds; round++) all.push(await measure(each, home, isAdmin, kind));
          const of = (what: (one: (typeof all)[number]) => number): string =>
            median(all.map(what)).toFixed(1);
          process.stdout.write(
            `| ${isAdmin ? 'administration' : 'API'} | ${kind} | ${index + 1} | ${of(one => one.without.median)}, ${of(one => one.without.max)} | ` +
              `${of(one => one.burst.median)}, ${of(one => one.burst.max)} | ${of(one => one.peak / 1e6)} |\n`,
          );
        }
    process.stdout.write(`\nload ${loadavg()[0]?.toFixed(1)} at the end\n`);
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

const [, , mode, port, kind] = process.argv;
if (mode === 'flood') await flood(Number(port), writes[kind as keyof typeof writes]);
else await main();
