import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { root } from '../support/root.ts';

/** A process to measure. */
export interface Command {
  file: string;
  args: readonly string[];
  env?: Readonly<Record<string, string>>;
  /** Files for its stdin and stdout. */
  pipes?: { input: string; output: string };
}

/** What a process used: seconds, CPU seconds and peak bytes, the last two only for Node. */
export interface Taken {
  seconds: number;
  cpu: number | undefined;
  rss: number | undefined;
}

let started = 0;

/** Runs a process to its end; undefined if it failed. */
export async function run({ file, args, env, pipes }: Command): Promise<Taken | undefined> {
  const usage = join(tmpdir(), `rowcast-usage-${process.pid}-${started++}.json`);
  const begun = performance.now();
  const child = spawn(file, args, {
    env: {
      PATH: process.env.PATH,
      NODE_OPTIONS: `--import=${join(root, 'dist/test/bench/usage.js')}`,
      BENCH_USAGE: usage,
      ...env,
    },
    stdio: [pipes ? 'pipe' : 'ignore', pipes ? 'pipe' : 'ignore', 'ignore'],
  });
  if (pipes && child.stdin && child.stdout) {
    createReadStream(pipes.input).pipe(child.stdin);
    child.stdout.pipe(createWriteStream(pipes.output));
  }
  const [code] = await once(child, 'close').catch(() => [1]);
  const seconds = (performance.now() - begun) / 1000;
  if (code !== 0) return undefined;
  const used = await readFile(usage, 'utf8').catch(() => '{}');
  await rm(usage, { force: true });
  return { seconds, ...JSON.parse(used) };
}

/**
 * Runs the commands alternately, so that other load on the machine affects all of them equally; a first round warms up
 * and is not counted.
 *
 * @param after called after each run, outside of the measurement
 * @param measure by default `run`
 */
export async function alternate<Name extends string>(
  commands: ReadonlyMap<Name, Command>,
  runs: number,
  after: () => Promise<unknown>,
  measure: (command: Command) => Promise<Taken | undefined> = run,
): Promise<Map<Name, Taken[]>> {
  const taken = new Map<Name, Taken[]>([...commands.keys()].map(name => [name, []]));
  for (let round = 0; round <= runs; round++)
    for (const [name, command] of commands) {
      const one = await measure(command);
      if (one !== undefined && round > 0) taken.get(name)?.push(one);
      await after();
    }
  return taken;
}

export function median(values: readonly (number | undefined)[]): number {
  const known = values.filter(value => value !== undefined);
  return known.toSorted((a, b) => a - b)[known.length >> 1] ?? Number.NaN;
}

/** A table of medians; times are relative to the first command. */
export function table(taken: ReadonlyMap<string, readonly Taken[]>, rows: number): string {
  const seconds = new Map([...taken].map(([name, all]) => [name, median(all.map(one => one.seconds))]));
  const [first = Number.NaN] = seconds.values();
  const lines = [...taken].map(([name, all]) => {
    const own = seconds.get(name) ?? Number.NaN;
    if (all.length === 0) return `| ${name} | did not run | | | | |`;
    const cpu = (median(all.map(one => one.cpu)) * 1e6) / rows;
    const rss = median(all.map(one => one.rss)) / 1e6;
    return `| ${[
      name,
      own.toFixed(own < 1 ? 3 : 2),
      Math.round(rows / own).toLocaleString('en-US'),
      (own / first).toFixed(2),
      Number.isNaN(cpu) ? '' : cpu.toFixed(1),
      Number.isNaN(rss) ? '' : rss.toFixed(0),
    ].join(' | ')} |`;
  });
  return [
    '| | seconds (median) | rows/s | time relative to the first | CPU s per million rows | peak MB |',
    '|---|---|---|---|---|---|',
    ...lines,
  ].join('\n');
}

export const machine = (): string =>
  `Node ${process.version}, ${cpus().length} cores, ${new Date().toISOString().slice(0, 10)}`;

/** A stub of all protocols in its own process, which responds after so many milliseconds. */
export async function startRespondingStub(delayMs = 0): Promise<{ url: string; end(): void }> {
  const stub = spawn(process.execPath, [join(root, 'dist/test/bench/stub.js'), String(delayMs)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [url = ''] = await once(createInterface({ input: stub.stdout }), 'line');
  return { url, end: () => stub.kill() };
}
