// npm run test:inputs -- COUNT [SEED] [FORMAT]
// Scores COUNT mutated files of each format. A file that takes too long ends the process: its seed is the last one
// printed.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { type InputFormat, inputFormats, openMutatedFiles } from './score-mutated.ts';

const [count = '1000', first = String(Date.now() % 1_000_000), only] = process.argv.slice(2);
const formats: readonly InputFormat[] = inputFormats.filter(format => only === undefined || format === only);
const say = (line: string): void => void process.stdout.write(`${line}\n`);

const folder = await mkdtemp(join(tmpdir(), 'rowcast-mutations-'));
const files = await openMutatedFiles(folder);
/** The number of files that are done, and the seed of the current one, for the thread that watches this one. */
const progress = new Int32Array(new SharedArrayBuffer(8));
const watch = new Worker(
  `const { workerData: progress } = require('node:worker_threads');
let seen = -1;
setInterval(() => {
  if (progress[0] === seen) {
    require('node:fs').writeSync(1, 'hangs: seed ' + progress[1] + '\\n');
    process.kill(process.pid, 'SIGKILL');
  }
  seen = progress[0];
}, 120_000);`,
  { eval: true, workerData: progress },
);
watch.unref();

let faults = 0;
say(`${count} files of each format, seed ${first}, Node ${process.versions.node}`);
for (const format of formats) {
  const begun = performance.now();
  const codes = new Map<string, number>();
  for (let seed = Number(first); seed < Number(first) + Number(count); seed++) {
    progress[1] = seed;
    const { code, fault } = await files.score(format, seed);
    progress[0] = (progress[0] ?? 0) + 1;
    codes.set(code, (codes.get(code) ?? 0) + 1);
    if (fault === undefined) continue;
    faults++;
    say(`${format}: seed ${seed}: ${fault}`);
  }
  const seconds = ((performance.now() - begun) / 1000).toFixed(0);
  const all = [...codes].sort(([, a], [, b]) => b - a).map(([code, number]) => `${number} ${code}`);
  say(`${format}: ${seconds} s: ${all.join(', ')}`);
}
await files.close();
await rm(folder, { recursive: true });
say(`${faults} faults`);
process.exitCode = faults === 0 ? 0 : 1;
