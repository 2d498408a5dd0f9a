// npm run bench -- reuse [ROWS [ROWS_OF_LARGE]]: a run that reuses the output of the night before, of which 2% of the rows
// have changed, with a service that takes 1 ms per row and works on 8 requests at a time; then one of which nothing is
// the same, and one with --dedupe of which no rows are equal, with a service that answers at once; then a large one in
// another order.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { root } from '../../support/root.ts';

const [rows = 1_000_000, large = 0] = process.argv.slice(3).map(Number);
const POOL = 8;

let msPerRow = 0;
let sent = 0;
const pool = Array.from({ length: POOL }, () => Promise.resolve());
let next = 0;
const server = createServer(async (request, response) => {
  if (request.url?.startsWith('/user/report/')) {
    const report = { classes: ['No', 'Yes'], model_sha256: 'a'.repeat(64), tech_specs: {}, drivers: [] };
    response.end(JSON.stringify(report));
    return;
  }
  const body = await buffer(request);
  let count = 0;
  for (let at = body.indexOf('"features"'); at !== -1; at = body.indexOf('"features"', at + 10)) count++;
  sent += count;
  if (msPerRow > 0) {
    const slot = next++ % POOL;
    pool[slot] = (pool[slot] as Promise<void>).then(() => delay(count * msPerRow));
    await pool[slot];
  }
  const one = '{"probabilities":{"No":0.7312,"Yes":0.2688}}';
  response.end(`{"id":"r","predictions":[${Array.from({ length: count }, () => one).join(',')}]}`);
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const { port } = server.address() as AddressInfo; // it listens on a port

const folder = await mkdtemp(join(tmpdir(), 'rowcast-bench-'));
const plans = ['basic', 'family', 'unlimited', 'business'];

/** Rows of about 75 bytes. @param changed whether a row differs from that of the night before */
async function write(
  name: string,
  count: number,
  idOf: (row: number) => number,
  changed: (id: number) => boolean,
) {
  const file = createWriteStream(join(folder, name));
  let text = 'id,plan,region,age,monthly_charge,months,calls,note\n';
  for (let row = 0; row < count; row++) {
    const id = idOf(row);
    const mixed = Math.imul(id + 1, 0x9e3779b1) >>> 0;
    text += `${100_000_000 + id},${plans[id & 3]},region-${mixed % 97},${18 + (mixed % 70)},${(mixed % 20_000) / 100 + (changed(id) ? 0.5 : 0)},${mixed % 120},${mixed % 977},note ${mixed}\n`;
    if (text.length < 1 << 20) continue;
    if (!file.write(text)) await once(file, 'drain');
    text = '';
  }
  file.end(text);
  await once(file, 'finish');
}

async function run(input: string, output: string, options: readonly string[]) {
  sent = 0;
  const usage = join(folder, 'usage.json');
  const begun = performance.now();
  const child = spawn(
    process.execPath,
    [
      '--import',
      pathToFileURL(join(root, 'dist/test/bench/usage.js')).href,
      join(root, 'dist/src/bundle/rowcast.js'),
      'score',
      join(folder, input),
      '-o',
      join(folder, output),
      ...'--report r -q --if-exists replace --concurrency 16'.split(' '),
      ...options,
    ],
    {
      stdio: 'inherit',
      env: {
        ...process.env,
        ROWCAST_URL: `http://127.0.0.1:${port}`,
        ROWCAST_API_KEY: 'bench',
        BENCH_USAGE: usage,
      },
    },
  );
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`exit code ${code}`);
  const seconds = (performance.now() - begun) / 1000;
  const { cpu, rss } = JSON.parse(await readFile(usage, 'utf8'));
  const figures = { seconds, cpu, rss: Math.round(rss / 1e6), sent };
  console.log(`${input} → ${output} ${options.join(' ')}`.replaceAll(folder, ''), figures);
  return figures;
}

const shuffled = (count: number) => (row: number) => (row * 7_368_787) % count;
const same = (row: number): number => row;
const first = ['--reuse', join(folder, 'none')];
const old = ['--reuse', join(folder, 'old.csv')];
const isChanged = (id: number): boolean => Math.imul(id, 0x85ebca6b) >>> 0 < 0.02 * 2 ** 32;
try {
  if (rows > 0) {
    await write('old-in.csv', rows, same, () => false);
    await write('same-order.csv', rows, same, isChanged);
    await write('other-order.csv', rows, shuffled(rows), isChanged);
    await write('nothing.csv', rows, same, () => true);
    await run('old-in.csv', 'old.csv', first);
    for (let round = 0; round < 3; round++) {
      const plain = await run('nothing.csv', 'plain.csv', []);
      for (const options of [old, ['--dedupe']]) {
        const useless = await run('nothing.csv', 'useless.csv', options);
        console.log(
          `nothing equal: ${(useless.seconds / plain.seconds).toFixed(2)} × the time, ${(useless.cpu / plain.cpu).toFixed(2)} × the CPU`,
        );
      }
    }
    msPerRow = 1;
    const reused = [
      await run('same-order.csv', 'same.csv', old),
      await run('other-order.csv', 'other.csv', old),
    ];
    const without = await run('same-order.csv', 'full.csv', []);
    for (const { seconds } of reused) console.log(`${(without.seconds / seconds).toFixed(1)} times as fast`);
  }
  if (large > 0) {
    msPerRow = 0;
    await write('large-in.csv', large, same, () => false);
    await write('large.csv', large, shuffled(large), isChanged);
    await run('large-in.csv', 'large-old.csv', first);
    await run('large.csv', 'large-new.csv', ['--reuse', join(folder, 'large-old.csv')]);
  }
} finally {
  server.close();
  server.closeAllConnections();
  await rm(folder, { recursive: true });
}
