import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { Pool } from 'undici';
import { train } from '../../src/training/train.ts';
import { root } from '../support/root.ts';
import { bin } from '../support/rowcast.ts';
import { csv } from '../support/service/history.ts';
import { makeHistory, personasOf, predictFor } from './engine.ts';
import { median } from './runs.ts';

/**
 * `npm run bench:service [-- SECONDS [ROUNDS]]`: the service in its own process, called from this one over 8
 * connections, alternating with a service that returns a constant and with the engine alone. Medians of the rounds.
 */
const SECONDS = Number(process.argv[2] ?? 3);
const ROUNDS = Number(process.argv[3] ?? 3);
const CONNECTIONS = 8;
const KEY = 'key-of-the-bench';

type Server = ChildProcessByStdio<null, Readable, Readable>;

interface Load {
  name: string;
  path: string;
  personas: number;
  body: string;
}

interface Measured {
  perSecond: number;
  p50: number;
  p99: number;
}

/** Sends requests as fast as the responses arrive, over all connections. */
async function callFor(seconds: number, url: string, { path, personas, body }: Load): Promise<Measured> {
  const pool = new Pool(url, { connections: CONNECTIONS, pipelining: 1 });
  const headers = { authorization: `ApiKey ${KEY}`, 'content-type': 'application/json' };
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
  await Promise.all(Array.from({ length: CONNECTIONS }, caller));
  const took = (performance.now() - begun) / 1000;
  await pool.close();
  times.sort((a, b) => a - b);
  const quantile = (q: number) => times[Math.floor(q * times.length)] ?? Number.NaN;
  return { perSecond: (times.length * personas) / took, p50: quantile(0.5), p99: quantile(0.99) };
}

async function urlOf(server: Server, stream: Readable): Promise<string> {
  for await (const line of createInterface({ input: stream })) {
    const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(line) ?? [];
    if (url !== undefined) return url;
  }
  throw new Error(`a server ended with ${server.exitCode} before it printed its address`);
}

const whole = (value: number): string => Math.round(value).toLocaleString('en-US');

async function main(): Promise<void> {
  const home = await mkdtemp(join(tmpdir(), 'rowcast-bench-'));
  const servers: Server[] = [];
  const start = (args: string[]): Server => {
    const env = { ...process.env, ROWCAST_HOME: home, ROWCAST_API_KEY: KEY };
    const server = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    servers.push(server);
    return server;
  };
  try {
    const history = makeHistory(6000);
    const historyFile = join(home, 'history.csv');
    const [header = [], ...rows] = history;
    await writeFile(historyFile, csv([header, ...rows]));
    const { tech_specs: specs } = await train({ historyFile, predict: 'outcome', home, id: 'bench' });
    const personas = personasOf(history.slice(0, 1001));
    const loads: Load[] = [
      {
        name: 'one persona (/user/persona)',
        path: '/user/persona',
        personas: 1,
        body: JSON.stringify({ id: 'bench', ...personas[0] }),
      },
      ...[1, 100, 1000].map(count => ({
        name: `${whole(count)} a call (/user/batch-persona)`,
        path: '/user/batch-persona',
        personas: count,
        body: JSON.stringify({ id: 'bench', personas: personas.slice(0, count) }),
      })),
    ];
    const service = start([bin, 'serve', '--port', '0']);
    const constant = start([join(root, 'dist/test/bench/constant.js')]);
    const urls = {
      service: await urlOf(service, service.stderr),
      constant: await urlOf(constant, constant.stdout),
    };
    service.stderr.resume();
    const measured = loads.map(load => ({ load, service: [] as Measured[], constant: [] as Measured[] }));
    const alone: number[] = [];
    // The first round warms up and is not counted.
    for (let round = 0; round <= ROUNDS; round++) {
      for (const { load, ...results } of measured)
        for (const which of ['service', 'constant'] as const) {
          const result = await callFor(round === 0 ? 1 : SECONDS, urls[which], load);
          if (round > 0) results[which].push(result);
        }
      const rate = await predictFor(round === 0 ? 1 : SECONDS, home, personas);
      if (round > 0) alone.push(rate);
    }
    process.stdout.write(
      `${specs.algorithm}, 20 columns, ${CONNECTIONS} connections, ${ROUNDS} rounds of ${SECONDS} s, Node ${process.version}, ${cpus().length} cores\n\n` +
        '| | personas/s | p50 ms | p99 ms | of a constant response | p99 ms of that |\n|---|---|---|---|---|---|\n',
    );
    for (const { load, service, constant } of measured) {
      const of = (results: Measured[], what: keyof Measured) => median(results.map(result => result[what]));
      const ratio = of(service, 'perSecond') / of(constant, 'perSecond');
      process.stdout.write(
        `| ${load.name} | ${whole(of(service, 'perSecond'))} | ${of(service, 'p50').toFixed(1)} | ${of(service, 'p99').toFixed(1)} | ${(100 * ratio).toFixed(0)} % | ${of(constant, 'p99').toFixed(1)} |\n`,
      );
    }
    process.stdout.write(`| the engine alone | ${whole(median(alone))} | | | | |\n`);
  } finally {
    for (const server of servers) server.kill();
    await rm(home, { recursive: true, force: true });
  }
}

await main();
