// Peak memory for increasing numbers of rows; then a run over the largest file is killed at 90% and resumed:
//   node dist/test/bench/large.js [ROWS …]
// The default of 500,000, 5,000,000 and 50,000,000 rows needs 15 GB of disk.

import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { bin, spawnRowcast } from '../support/rowcast.ts';
import { writeUsual } from './input.ts';
import { machine, run, startRespondingStub, type Taken, table } from './runs.ts';

const counts = process.argv.slice(2).map(Number);
const rows = counts.length > 0 ? counts : [500_000, 5_000_000, 50_000_000];
const say = (text: string): boolean => process.stdout.write(`${text}\n`);

const folder = await mkdtemp(join(tmpdir(), 'rowcast-large-'));
const stub = await startRespondingStub();
const input = join(folder, 'personas.csv');
const output = join(folder, 'out.csv');
const env = { ROWCAST_URL: stub.url, ROWCAST_API_KEY: 'k' };
const words = ['score', input, '--report', 'R', '-o', output];
try {
  say(`${machine()}\n`);
  for (const count of rows) {
    await write(count);
    const taken = await run({ file: process.execPath, args: [bin, ...words], env });
    say(
      table(
        new Map<string, Taken[]>([[`${count.toLocaleString('en-US')} rows`, taken ? [taken] : []]]),
        count,
      ),
    );
    await rm(output, { force: true });
  }
  await killed();
  stub.end();
  await delay(500);
  say(
    `\nresumed at 90% of ${((await sizeOf(input)) / 1e9).toFixed(1)} GB: first request after ${await firstCall()} ms`,
  );
} finally {
  stub.end();
  await rm(folder, { recursive: true });
}

/** The usual input: the same half a million rows, repeated. */
async function write(count: number): Promise<void> {
  const part = Math.min(count, 500_000);
  const path = join(folder, 'part.csv');
  await writeUsual(part, path);
  const [header] = await once(createReadStream(path), 'data');
  const start = header.indexOf('\n') + 1;
  await pipeline(createReadStream(path), createWriteStream(input));
  for (let written = part; written < count; written += part)
    await pipeline(createReadStream(path, { start }), createWriteStream(input, { flags: 'a' }));
}

/** A run over the last input that is killed when 90% of the output is written. */
async function killed(): Promise<void> {
  const child = spawnRowcast(words, { env });
  const ended = once(child, 'exit');
  const enough = (await sizeOf(input)) * 0.9 * 1.15; // rows of the output are that much longer
  while (child.exitCode === null && (await sizeOf(`${output}.partial`)) < enough) await delay(20);
  child.kill('SIGKILL');
  await ended;
}

function sizeOf(path: string): Promise<number> {
  return stat(path).then(
    ({ size }) => size,
    () => 0,
  );
}

/** Milliseconds from the start of a process to its first request with personas. */
async function firstCall(): Promise<number> {
  let called: (at: number) => void = () => {};
  const call = new Promise<number>(resolve => {
    called = resolve;
  });
  const server = createServer((request, response) => {
    if (request.method === 'GET') response.end('{"tech_specs":{},"drivers":[]}');
    else called(performance.now());
  });
  server.listen(Number(new URL(stub.url).port), '127.0.0.1');
  await once(server, 'listening');
  const begun = performance.now();
  const child = spawnRowcast(words, { env });
  child.stderr.pipe(process.stderr);
  const at = await call;
  child.kill('SIGKILL');
  server.closeAllConnections();
  server.close();
  return Math.round(at - begun);
}
