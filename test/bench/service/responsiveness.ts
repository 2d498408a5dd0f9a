// Measures how fast the service scores batches, and how long single personas and health checks take meanwhile, in one
// build or in several alternately. The calls are made from another process than the probes.
//   node dist/test/bench/service/responsiveness.js [-- SECONDS ROUNDS ROOT...]

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parse } from 'csv-parse/sync';
import { Pool } from 'undici';
import { peakOf } from '../../crash/memory.ts';
import { root } from '../../support/root.ts';
import { median, run } from '../runs.ts';
import { callFor, type Load, type Server, urlOf } from './calls.ts';

const KEY = 'key-of-the-bench';
const [SECONDS, ROUNDS] = [Number(process.argv[2] ?? 3), Number(process.argv[3] ?? 3)];
const ROOTS = process.argv.length > 4 ? process.argv.slice(4) : [root];
const MAX_BODY = 32 << 20;
/** Time for the threads to start and for their code to be compiled. */
const WARM_SECONDS = 4;
const numbers = new Set(['tenure', 'speed', 'monthly', 'data_gb', 'support_calls', 'satisfaction']);

/** The first personas of the fixture again and again, as the rows of a request. */
async function loadsOf(): Promise<Load[]> {
  const text = await readFile(join(root, 'fixtures/telecom-personas.csv'), 'utf8');
  const rows: Record<string, string>[] = parse(text, { columns: true, to: 1000 });
  const personas = rows.map(row => ({
    features: Object.fromEntries(
      Object.entries(row).map(([name, value]) => [
        name,
        numbers.has(name) && value !== '' ? Number(value) : value,
      ]),
    ),
  }));
  const bodyOf = (count: number): string =>
    JSON.stringify({
      id: 'churn',
      personas: Array.from({ length: count }, (_, i) => personas[i % personas.length]),
    });
  const load = (name: string, personas: number, body: string, connections: number): Load => ({
    name: `${name}, ${connections} connections`,
    path: '/user/batch-persona',
    personas,
    body: Buffer.from(body),
    connections,
  });
  const largest = bodyOf(10_000);
  return [
    load('1,000 per request', 1000, bodyOf(1000), 8),
    load('10,000 per request', 10_000, largest, 8),
    // As much as a body may have: the rest is white space after each comma, which is read too.
    load('10,000 in 32 MiB', 10_000, padded(largest), 2),
  ];
}

function padded(body: string): string {
  const commas = body.split('},').length - 1;
  const space = ' '.repeat(Math.floor((MAX_BODY - Buffer.byteLength(body) - 1024) / commas));
  return body.replaceAll('},', `},${space}`);
}

interface Probe {
  single: { p50: number; p99: number };
  health: { p50: number; p99: number };
}

/** Sends a persona and a health check every 5 ms, one after the other. */
async function probeFor(seconds: number, url: string, single: string): Promise<Probe> {
  const pool = new Pool(url, { connections: 2, pipelining: 1 });
  const headers = { authorization: `ApiKey ${KEY}`, 'content-type': 'application/json' };
  const end = performance.now() + 1000 * seconds;
  const probe = async (send: () => ReturnType<Pool['request']>) => {
    const times: number[] = [];
    while (performance.now() < end) {
      const sent = performance.now();
      const { statusCode, body } = await send();
      await body.dump();
      if (statusCode !== 200) throw new Error(`a probe returned ${statusCode}`);
      times.push(performance.now() - sent);
      await sleep(5);
    }
    times.sort((a, b) => a - b);
    const quantile = (q: number): number => times[Math.floor(q * times.length)] ?? Number.NaN;
    return { p50: quantile(0.5), p99: quantile(0.99) };
  };
  const [persona, health] = await Promise.all([
    probe(() => pool.request({ path: '/user/persona', method: 'POST', headers, body: single })),
    probe(() => pool.request({ path: '/healthz', method: 'GET' })),
  ]);
  await pool.close();
  return { single: persona, health };
}

/** In the process that makes the calls: prints personas per second. */
async function call(url: string, index: number): Promise<void> {
  const load = (await loadsOf())[index];
  if (load === undefined) throw new Error('no such load');
  await callFor(WARM_SECONDS, { url, key: KEY }, load);
  process.stdout.write('warm\n');
  const { perSecond } = await callFor(SECONDS, { url, key: KEY }, load);
  process.stdout.write(`${perSecond}\n`);
}

async function measure(rootOf: string, home: string, index: number) {
  const env = { ...process.env, ROWCAST_HOME: home, ROWCAST_API_KEY: KEY };
  const start = (args: string[]): Server =>
    spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const server = start([join(rootOf, 'dist/src/bundle/rowcast.js'), 'serve', '--port', '0']);
  try {
    const url = await urlOf(server, server.stderr);
    server.stderr.resume();
    const single = JSON.stringify({ id: 'churn', features: { tenure: 3, contract: 'monthly', monthly: 55 } });
    await probeFor(0.5, url, single);
    const caller = start([import.meta.filename, String(SECONDS), 'call', url, String(index)]);
    const printed = text(caller);
    await once(caller.stdout, 'data');
    const probe = await probeFor(SECONDS, url, single);
    const perSecond = Number((await printed).split('\n')[1]);
    return { ...probe, perSecond, peak: await peakOf(server.pid) };
  } finally {
    server.kill();
  }
}

async function text({ stdout, stderr }: Server): Promise<string> {
  stderr.pipe(process.stderr);
  let all = '';
  for await (const chunk of stdout) all += chunk;
  return all;
}

async function main(): Promise<void> {
  const home = await mkdtemp(join(tmpdir(), 'rowcast-bench-'));
  try {
    const history = join(root, 'fixtures/telecom-history.csv');
    const args = ['train', history, '--predict', 'churned', '--report', 'churn', '--home', home];
    const bin = join(root, 'dist/src/bundle/rowcast.js');
    await run({ file: process.execPath, args: [bin, ...args] });
    process.stdout.write(`load ${loadavg()[0]?.toFixed(1)}, Node ${process.version}\n\n`);
    process.stdout.write(
      '| batches | build | personas/s | persona p50, p99 ms | /healthz p50, p99 ms | peak MB |\n|---|---|---|---|---|---|\n',
    );
    for (const [index, { name }] of (await loadsOf()).entries()) {
      const results = ROOTS.map(() => [] as Awaited<ReturnType<typeof measure>>[]);
      for (let round = 0; round < ROUNDS; round++)
        for (const [i, each] of ROOTS.entries()) results[i]?.push(await measure(each, home, index));
      for (const [i, all] of results.entries()) {
        const of = (what: (one: (typeof all)[number]) => number): string => median(all.map(what)).toFixed(1);
        process.stdout.write(
          `| ${name} | ${i + 1} | ${Math.round(median(all.map(one => one.perSecond))).toLocaleString('en-US')} | ` +
            `${of(one => one.single.p50)}, ${of(one => one.single.p99)} | ${of(one => one.health.p50)}, ${of(one => one.health.p99)} | ` +
            `${Math.round(median(all.map(one => one.peak / 1e6)))} |\n`,
        );
      }
    }
    process.stdout.write(`\nload ${loadavg()[0]?.toFixed(1)} at the end\n`);
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

const [, , , mode, url, index] = process.argv;
if (mode === 'call') await call(url ?? '', Number(index));
else await main();
