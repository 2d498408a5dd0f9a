import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { trainReport } from '../../../src/training/train.ts';
import { root } from '../../support/root.ts';
import { bin } from '../../support/rowcast.ts';
import { csv } from '../../support/service/history.ts';
import { median } from '../runs.ts';
import { CONNECTIONS, callFor, type Load, type Measured, type Server, urlOf } from './calls.ts';
import { makeHistory, personasOf, predictFor } from './engine.ts';

/**
 * `npm run bench:service [-- SECONDS [ROUNDS]]`: the service in its own process, called from this one over 8
 * connections, alternating with a service that returns a constant and with the engine alone. Medians of the rounds.
 */
const SECONDS = Number(process.argv[2] ?? 3);
const ROUNDS = Number(process.argv[3] ?? 3);
const KEY = 'key-of-the-bench';

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
    const { tech_specs: specs } = await trainReport({ historyFile, predict: 'outcome', home, id: 'bench' });
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
    const constant = start([join(root, 'dist/test/bench/service/constant.js')]);
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
          const result = await callFor(round === 0 ? 1 : SECONDS, { url: urls[which], key: KEY }, load);
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
