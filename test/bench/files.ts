// npm run bench -- files [FILES]: scores many small files with a local report, with and without files that tell of each
// of them, and prints the peak memory and the CPU seconds of each: neither memory nor the time of a file may grow with
// their number.

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bin } from '../support/rowcast.ts';
import { run } from './runs.ts';

const FILES = Number(process.argv[3] ?? 20_000);
const ROWS = 10;
const folder = await mkdtemp(join(tmpdir(), 'rowcast-files-'));
const rows = (from: number, count: number): string =>
  Array.from(
    { length: count },
    (_, row) => `${18 + ((from + row) % 60)},${(from + row) * 37},c${row % 5}`,
  ).join('\n');
try {
  const home = join(folder, 'home');
  const history = rows(0, 2000).replaceAll(/\b(\d+)(,.*)$/gm, (line, age) => `${line},${Number(age) > 40}`);
  await writeFile(join(folder, 'history.csv'), `age,fee,city,stays\n${history}\n`);
  await rowcast('train', join(folder, 'history.csv'), '--predict', 'stays', '--report', 'r', '--home', home);
  await mkdir(join(folder, 'in'));
  for (let file = 0; file < FILES; file++)
    await writeFile(join(folder, 'in', `${file}.csv`), `age,fee,city\n${rows(file, ROWS)}\n`);
  const score = ['score', join(folder, 'in/*.csv'), '--report', 'r', '--home', home, '-q', '-o'];
  const told = '--summary s.json --summary-html s.html --metrics m.prom --lineage l.jsonl'.split(' ');
  const paths = told.map((word, index) => (index % 2 === 0 ? word : join(folder, word)));
  await measure('without a summary', ...score, join(folder, 'out/{name}.csv'));
  await measure(
    'with a summary, as a page, too, metrics and lineage',
    ...score,
    join(folder, 'told/{name}.csv'),
    ...paths,
  );
  await measure(
    'again, all unchanged',
    ...score,
    join(folder, 'told/{name}.csv'),
    ...paths,
    '--if-exists',
    'skip-unchanged',
  );
} finally {
  await rm(folder, { recursive: true });
}

async function rowcast(...args: string[]): ReturnType<typeof run> {
  const taken = await run({ file: process.execPath, args: [bin, ...args], env: { HOME: folder } });
  if (taken === undefined) throw new Error(`rowcast ${args.join(' ')} failed`);
  return taken;
}

async function measure(what: string, ...args: string[]): Promise<void> {
  const taken = await rowcast(...args);
  const { seconds, cpu = 0, rss = 0 } = taken ?? {};
  process.stdout.write(
    `${FILES} files ${what}: peak ${Math.round(rss / 1e6)} MB, ${cpu.toFixed(0)} CPU s, ${seconds?.toFixed(0)} s\n`,
  );
}
