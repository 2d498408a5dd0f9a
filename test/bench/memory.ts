// Scores a gigabyte to a file, and to a reader that stops for 30 s, and prints the peak memory of each.
//   node dist/test/bench/memory.js

import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { bytesOfRows, GIGABYTE, MAX_BYTES, peakOf } from '../crash/memory.ts';
import { spawnRowcast } from '../support/rowcast.ts';
import { startStub } from '../support/stub/service.ts';

const STOP_MS = 30_000;
const stub = await startStub({
  report: { classes: ['no', 'yes'] },
  behave() {
    stub.bodies.length = 0; // they would accumulate
    return false;
  },
});
const folder = await mkdtemp(join(tmpdir(), 'rowcast-memory-'));
try {
  const input = join(folder, 'in.csv');
  await pipeline(bytesOfRows(GIGABYTE), createWriteStream(input));
  await measure('a file of 1 GB to a file', [input, '-o', join(folder, 'out.csv')], stdout => {
    stdout.resume();
  });
  await measure(`1 GB to a reader that stops for ${STOP_MS / 1000} s`, [input], async stdout => {
    await once(stdout, 'readable');
    await delay(STOP_MS);
    stdout.resume();
  });
} finally {
  await rm(folder, { recursive: true });
  await stub.close();
}

async function measure(
  what: string,
  words: string[],
  read: (stdout: ReturnType<typeof spawnRowcast>['stdout']) => void | Promise<void>,
): Promise<void> {
  const begun = performance.now();
  const args = ['score', ...words, '--report', 'r', '--url', stub.url, '--features', 'id'];
  const child = spawnRowcast(args, { env: { ROWCAST_API_KEY: stub.key } });
  child.stdin.end();
  child.stderr.pipe(process.stderr);
  const ended = once(child, 'exit');
  let peak = 0;
  // The peak is the kernel's, which can be read only while the process exists.
  const asking = setInterval(async () => {
    peak = Math.max(peak, await peakOf(child.pid).catch(() => 0));
  }, 100);
  await read(child.stdout);
  const [code] = await ended;
  clearInterval(asking);
  const seconds = (performance.now() - begun) / 1000;
  process.stdout.write(`${what}: exit ${code}, peak ${Math.round(peak / 1e6)} MB, ${seconds.toFixed(0)} s\n`);
  if (code !== 0 || !(peak < MAX_BYTES)) process.exitCode = 1;
}
