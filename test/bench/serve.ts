// npm run bench -- serve [ROWS [RUNS [OTHER]]]: `rowcast serve` with a local report, and `score` as its client on the
// same machine; with another build (a folder with the dist/ of another commit), that alternately, server and client.
// The first round warms up and is not counted.

import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { bin } from '../support/rowcast.ts';
import { trainReport } from './local/reports.ts';
import { tables } from './local/tables.ts';
import { alternate, type Command, machine, table } from './runs.ts';
import { type Server, urlOf } from './service/calls.ts';

const rows = Number(process.argv[3] ?? 1_000_000);
const runs = Number(process.argv[4] ?? 5);
const other = process.argv[5];
const KEY = 'key-of-the-bench';
const REPORT = 'churn';

const telecom = tables.get('telecom');
if (telecom === undefined) throw new Error('there is no table "telecom"');
const { history, predict, writePersonas } = telecom;

const folder = await mkdtemp(join(tmpdir(), 'rowcast-bench-'));
const input = join(folder, 'personas.csv');
const output = join(folder, 'out.csv');
const servers: Server[] = [];
try {
  await trainReport({ home: folder, id: REPORT, historyFile: await history(folder), predict });
  await writePersonas(rows, input);
  const builds = new Map([['rowcast', bin]]);
  if (other !== undefined) builds.set('the other build', join(resolve(other), 'dist/src/bundle/rowcast.js'));
  const commands = new Map<string, Command>();
  for (const [name, main] of builds) {
    const env = { ROWCAST_URL: await serving(main), ROWCAST_API_KEY: KEY };
    const args = [main, 'score', input, '--report', REPORT, '-o', output];
    commands.set(name, { file: process.execPath, args, env });
  }
  const taken = await alternate(commands, runs, () => rm(output, { force: true }));
  process.stdout.write(
    `${machine()}, ${runs} runs; CPU and memory are the client's\n\n${table(taken, rows)}\n`,
  );
} finally {
  for (const server of servers) server.kill();
  await rm(folder, { recursive: true });
}

async function serving(main: string): Promise<string> {
  const env = { PATH: process.env.PATH, ROWCAST_HOME: folder, ROWCAST_API_KEY: KEY };
  const server = spawn(process.execPath, [main, 'serve', '--port', '0'], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  servers.push(server);
  const url = await urlOf(server, server.stderr);
  server.stderr.resume();
  return url;
}
