import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { copyFile, mkdtemp, rm, stat } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { root } from '../root.ts';
import { bin } from '../rowcast.ts';

/**
 * `npm run bench [-- ROWS [RUNS]]`: whole processes against a stub in another one, the variants in turn, medians.
 * What it measures against, and the rows, are in ../shared/peers, where that is.
 */
const ROWS = Number(process.argv[2] ?? 500_000);
const RUNS = Number(process.argv[3] ?? 5);
const peers = join(root, '../shared/peers');
/** A copy from which our packages are found. */
const plain = join(root, 'dist/plain_score.mjs');

interface Variant {
  name: string;
  command: (url: string, input: string, output: string) => { file: string; args: string[]; pipes?: boolean };
}

const score = (input: string[], output: string[], ...more: string[]): string[] => [
  bin,
  'score',
  ...input,
  '--report',
  'R',
  ...output,
  ...more,
];

const node = process.execPath;
const variants: Variant[] = [
  {
    name: 'rowcast, file to file, a checkpoint a second',
    command: (_, input, output) => ({ file: node, args: score([input], ['-o', output]) }),
  },
  {
    name: 'rowcast, file to file, no checkpoint on the way',
    command: (_, input, output) => ({
      file: node,
      args: score([input], ['-o', output], '--checkpoint-seconds', '3600'),
    }),
  },
  {
    name: 'rowcast, stdin to stdout',
    command: () => ({ file: node, args: score([], []), pipes: true }),
  },
  {
    name: 'plain_score.mjs',
    command: (url, input, output) => ({
      file: node,
      args: [plain, url, input, output],
    }),
  },
  {
    name: 'aiohttp_score.py',
    command: (url, input, output) => ({
      file: '/usr/bin/python3',
      args: [join(peers, 'aiohttp_score.py'), url, input, output],
    }),
  },
];

if (existsSync(peers)) await main();
else process.stdout.write(`skipped: no ${peers} here\n`);

async function main(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'rowcast-bench-'));
  const stub = spawn(node, [join(root, 'dist/test/bench/stub.js')], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const [url = ''] = await once(createInterface({ input: stub.stdout }), 'line');
    await copyFile(join(peers, 'plain_score.mjs'), plain);
    const input = join(folder, 'personas.csv');
    await run(node, [join(peers, 'make_personas.mjs'), String(ROWS), input]);
    const seconds = new Map<string, number[]>(variants.map(({ name }) => [name, []]));
    // The first round warms up, and is not counted.
    for (let round = 0; round <= RUNS; round++)
      for (const { name, command } of variants) {
        const output = join(folder, 'out.csv');
        const { file, args, pipes } = command(url, input, output);
        const env = {
          ...process.env,
          ROWCAST_URL: url,
          ROWCAST_API_KEY: 'k',
          NODE_PATH: join(root, 'node_modules'),
        };
        const took = await run(file, args, env, pipes ? { input, output } : undefined);
        if (took !== undefined && round > 0) seconds.get(name)?.push(took);
        await rm(output, { force: true });
      }
    report(seconds, (await stat(input)).size);
  } finally {
    stub.kill();
    await rm(folder, { recursive: true });
  }
}

/** Seconds that a process took, undefined when it failed. */
async function run(
  file: string,
  args: string[],
  env = process.env,
  pipes?: { input: string; output: string },
): Promise<number | undefined> {
  const begun = performance.now();
  const child = spawn(file, args, {
    env,
    stdio: [pipes ? 'pipe' : 'ignore', pipes ? 'pipe' : 'ignore', 'ignore'],
  });
  if (pipes && child.stdin && child.stdout) {
    createReadStream(pipes.input).pipe(child.stdin);
    child.stdout.pipe(createWriteStream(pipes.output));
  }
  const [code] = await once(child, 'close').catch(() => [1]);
  return code === 0 ? (performance.now() - begun) / 1000 : undefined;
}

function report(seconds: Map<string, number[]>, bytes: number): void {
  const [first] = variants;
  const median = (values: number[] = []): number =>
    values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
  const base = median(seconds.get(first?.name ?? ''));
  process.stdout.write(
    `${ROWS} rows, ${(bytes / 2 ** 20).toFixed(0)} MiB, ${RUNS} runs, Node ${process.version}, ${cpus().length} cores\n\n` +
      '| | seconds (median) | rows/s | time against the first |\n|---|---|---|---|\n',
  );
  for (const [name, values] of seconds)
    process.stdout.write(
      values.length === 0
        ? `| ${name} | did not run | | |\n`
        : `| ${name} | ${median(values).toFixed(2)} | ${Math.round(ROWS / median(values)).toLocaleString('en-US')} | ${(median(values) / base).toFixed(2)} |\n`,
    );
}
