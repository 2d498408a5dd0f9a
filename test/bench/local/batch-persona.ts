import { spawn } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse';
import { root } from '../../support/root.ts';
import { bin } from '../../support/rowcast.ts';
import { median } from '../runs.ts';
import { CONNECTIONS, callFor, type Load, type Measured, type Server, urlOf } from '../service/calls.ts';
import { withNumbers } from './json-lines.ts';

const PERSONAS = 1000;
const SECONDS = 3;
const KEY = 'key-of-the-bench';

export interface Calls {
  personasPerSecond: number;
  p50: number;
  p99: number;
  /** Of the same requests to a service that returns a constant. */
  constantPerSecond: number;
}

/** Requests of 1,000 personas from a file, over loopback, alternately to the service and to a constant one. */
export async function callBatches(home: string, id: string, input: string, rounds: number): Promise<Calls> {
  const servers: Server[] = [];
  const start = (args: string[]): Server => {
    const env = { PATH: process.env.PATH, ROWCAST_HOME: home, ROWCAST_API_KEY: KEY };
    const server = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    servers.push(server);
    return server;
  };
  try {
    const personas = await personasOf(input);
    const load: Load = {
      name: 'batch-persona',
      path: '/user/batch-persona',
      personas: personas.length,
      body: JSON.stringify({ id, personas }),
    };
    const service = start([bin, 'serve', '--port', '0']);
    const constant = start([join(root, 'dist/test/bench/service/constant.js')]);
    const own = { url: await urlOf(service, service.stderr), key: KEY };
    const other = { url: await urlOf(constant, constant.stdout), key: KEY };
    service.stderr.resume();
    const measured: Measured[] = [];
    const constants: Measured[] = [];
    // The first round warms up and is not counted.
    for (let round = 0; round <= rounds; round++) {
      const ours = await callFor(SECONDS, own, load);
      const theirs = await callFor(SECONDS, other, load);
      if (round === 0) continue;
      measured.push(ours);
      constants.push(theirs);
    }
    return {
      personasPerSecond: median(measured.map(({ perSecond }) => perSecond)),
      p50: median(measured.map(({ p50 }) => p50)),
      p99: median(measured.map(({ p99 }) => p99)),
      constantPerSecond: median(constants.map(({ perSecond }) => perSecond)),
    };
  } finally {
    for (const server of servers) server.kill();
  }
}

/** The first rows of a file, with numbers where there are digits. */
async function personasOf(input: string): Promise<{ features: object }[]> {
  const personas: { features: object }[] = [];
  const rows = createReadStream(input).pipe(parse({ columns: true, to: PERSONAS }));
  for await (const row of rows as AsyncIterable<Record<string, string>>)
    personas.push({ features: withNumbers(row) });
  return personas;
}

export const callsTable = ({ personasPerSecond, p50, p99, constantPerSecond }: Calls): string =>
  [
    '| | personas/s | p50 ms | p99 ms | of a constant response |',
    '|---|---|---|---|---|',
    `| ${[
      `${PERSONAS.toLocaleString('en-US')} per request, ${CONNECTIONS} connections`,
      Math.round(personasPerSecond).toLocaleString('en-US'),
      p50.toFixed(1),
      p99.toFixed(1),
      `${((100 * personasPerSecond) / constantPerSecond).toFixed(0)} %`,
    ].join(' | ')} |`,
  ].join('\n');
