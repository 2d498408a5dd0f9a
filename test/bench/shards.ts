// npm run bench -- shards [efficiency|sizes]: workers next to one another, and how long planning and joining take.
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { bin } from '../support/rowcast.ts';
import { writeUsual } from './input.ts';
import { median, run, startRespondingStub } from './runs.ts';

const [, , , only] = process.argv;
const MIB = 1 << 20;
/** Of each request, and how many a worker makes at a time. */
const SERVICE_MS = 50;
const CONCURRENCY = 4;
const BATCH_ROWS = 25;
const SHARDS_PER_WORKER = 3;
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);

const folder = await mkdtemp(join(tmpdir(), 'rowcast-bench-'));
const input = join(folder, 'in.csv');
const output = join(folder, 'out.csv');
const shards = join(folder, 'shards');

const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};
const load = (): string => `load ${loadavg()[0]?.toFixed(1)}`;

/** Writes the usual input. @returns its bytes per row */
async function writeInput(rows: number): Promise<number> {
  await writeUsual(rows, input);
  return (await stat(input)).size / rows;
}

const planArguments = (size: string, ...more: string[]): string[] => [
  ...['plan', input, '--report', 'R', '--classes', 'No,Yes', '-o', output],
  ...['--shards', shards, '--shard-bytes', size, ...more],
];

/** Runs `rowcast ARGS…`. @returns its seconds */
async function timed(args: readonly string[], env: Record<string, string>): Promise<number> {
  const taken = await run({ file: process.execPath, args: [bin, ...args], env });
  if (taken === undefined) throw new Error(`rowcast ${args.join(' ')} failed`);
  return taken.seconds;
}

/** The same number of shards for each worker, however many there are: twice the workers score twice the rows. */
async function efficiency(env: Record<string, string>): Promise<void> {
  const perRow = await writeInput(20_000);
  say(`| workers | rows/s | times that of one | of N times | |\n|---|---|---|---|---|`);
  const rates = new Map<number, number[]>();
  for (let round = 0; round < ROUNDS; round++)
    for (const workers of [1, 2, 4]) {
      const rows = Math.floor((SHARDS_PER_WORKER * workers * MIB) / perRow);
      await writeUsual(rows, input);
      await timed(planArguments('1MiB'), env);
      const pace = ['--concurrency', String(CONCURRENCY), '--batch-rows', String(BATCH_ROWS)];
      const begun = performance.now();
      await Promise.all(Array.from({ length: workers }, () => timed(['work', shards, ...pace], env)));
      const rate = rows / ((performance.now() - begun) / 1000);
      rates.set(workers, [...(rates.get(workers) ?? []), rate]);
      await timed(['abort', shards], env);
      const one = rates.get(1)?.[round] ?? Number.NaN;
      const figures = [rate.toFixed(0), (rate / one).toFixed(2), (rate / one / workers).toFixed(3), load()];
      say(`| ${workers} | ${figures.join(' | ')} |`);
    }
  const one = median(rates.get(1) ?? []);
  for (const [workers, all] of rates)
    say(
      `median of ${workers}: ${median(all).toFixed(0)} rows/s, ${(median(all) / one / workers).toFixed(3)}`,
    );
}

/** Seconds of the scan and of joining, by size of the input. */
async function sizes(env: Record<string, string>): Promise<void> {
  say(`| input | shards | plan | joining | output | |\n|---|---|---|---|---|---|`);
  for (const rows of [300_000, 1_200_000, 4_800_000]) {
    const bytes = rows * (await writeInput(rows));
    const plan = await timed(planArguments('16MiB'), env);
    await timed(['work', shards, '--batch-rows', '5000', '--batch-bytes', '4MiB'], env);
    const joined = await timed(['assemble', shards], env);
    const written = (await stat(output)).size;
    const each = [bytes, written].map(size => `${(size / 1e6).toFixed(0)} MB`);
    const count = Math.ceil(bytes / (16 * MIB));
    say(`| ${each[0]} | ${count} | ${plan.toFixed(2)} s | ${joined.toFixed(2)} s | ${each[1]} | ${load()} |`);
  }
}

const { url, end } = await startRespondingStub(only === 'sizes' ? 0 : SERVICE_MS);
const env = { ROWCAST_URL: url, ROWCAST_API_KEY: 'a-key-of-the-benchmark' };
try {
  if (only !== 'sizes') await efficiency(env);
  if (only !== 'efficiency') await sizes(env);
} finally {
  end();
  await rm(folder, { recursive: true, force: true });
}
