// Scoring with a local report, as whole processes run alternately with scripts in Python; skipped without Python.

import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { createGzip } from 'node:zlib';
import { alternate, machine, median, type Taken, table } from '../runs.ts';
import { formats, toJsonLines } from './json-lines.ts';
import { measureWith, scoring, toParquet, trainOthers } from './opponents.ts';
import { installPythons, type Pythons } from './python.ts';
import { replaceTrees, type Training, trainReport, treesOf } from './reports.ts';
import { type Table, tables } from './tables.ts';

/** The others get these where our model has no trees. */
const DEFAULT_TREES = { rounds: 30, leaves: 31 };

const say = (text: string): boolean => process.stdout.write(`${text}\n`);

const usage = `npm run bench -- local [options]: scoring with a local report, next to polars + LightGBM and pandas + scikit-learn

  --inputs LIST   of ${[...tables.keys()].join(', ')} (default: all)
  --rows LIST     (default: 300000,3000000 and a file of one row for telecom, 300000 for the others)
  --forms LIST    of plain, gzip, parquet, jsonl: of both input and output (default: all); jsonl next to a CSV of the same rows
  --runs N        medians of so many (default: 5)
  --rounds N      a model of N rounds of trees instead of what rowcast train selects
  --leaves N      of each of those trees (default: 31)
`;

const text = { type: 'string' } as const;
const options = { inputs: text, rows: text, forms: text, runs: text, rounds: text, leaves: text };
const { values } = parseArgs({ args: process.argv.slice(3).filter(word => word !== '--help'), options });
const inputs = values.inputs?.split(',') ?? [...tables.keys()];
const forms = values.forms?.split(',') ?? ['plain', 'gzip', 'parquet', 'jsonl'];
const runs = Number(values.runs ?? 5);
/** Undefined: the model that `rowcast train` selects. */
const wanted =
  values.rounds === undefined
    ? undefined
    : { rounds: Number(values.rounds), leaves: Number(values.leaves ?? 31) };

if (process.argv.includes('--help')) say(usage);
else {
  const pythons = await installPythons(say);
  if (typeof pythons === 'string') say(`skipped: ${pythons}`);
  else await measureAll(pythons);
}

async function measureAll(pythons: Pythons): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'rowcast-bench-'));
  try {
    say(`${machine()}, load ${loadavg()[0]?.toFixed(1)}, medians of ${runs}`);
    for (const name of inputs) {
      const own = tables.get(name);
      if (own === undefined)
        throw new Error(`--inputs: "${name}" is none of ${[...tables.keys()].join(', ')}`);
      await measureInput(name, own, folder, pythons);
    }
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function measureInput(
  name: string,
  { history, predict, writePersonas }: Table,
  folder: string,
  pythons: Pythons,
): Promise<void> {
  const training: Training = { home: folder, id: name, historyFile: await history(folder), predict };
  await trainReport(training);
  if (wanted !== undefined) await replaceTrees(training, wanted);
  const trees = await treesOf(folder, name);
  const others = await trainOthers(pythons, training, trees ?? DEFAULT_TREES);
  const ours = trees === undefined ? 'rowcast: no trees' : treesText({ name: 'rowcast', ...trees });
  say(`\n## ${name}\n\n${[ours, ...others.map(treesText)].join('; ')}`);

  const measure = measureWith(pythons.lightgbm, join(folder, 'log.txt'));
  const compare = async (rows: number, form: string): Promise<void> => {
    const plain = join(folder, 'personas.csv');
    await writePersonas(rows, plain);
    const outputOf = (suffix: string): string => join(folder, `out.${suffix}`);
    const commandsOf = new Map([
      ['plain', async () => scoring(pythons, training, plain, outputOf('csv'))],
      ['gzip', async () => scoring(pythons, training, await compressed(plain), outputOf('csv.gz'))],
      [
        'parquet',
        async () => scoring(pythons, training, await toParquet(pythons, plain), outputOf('parquet')),
      ],
      ['jsonl', async () => formats(training, { csv: plain, jsonl: await toJsonLines(plain) }, outputOf)],
    ]);
    const commands = await commandsOf.get(form)?.();
    if (commands === undefined)
      throw new Error(`--forms: "${form}" is none of ${[...commandsOf.keys()].join(', ')}`);
    const clean = async (): Promise<void> => {
      for (const suffix of ['csv', 'csv.gz', 'parquet', 'jsonl']) await rm(outputOf(suffix), { force: true });
    };
    const taken = await alternate(commands, runs, clean, measure);
    const count = `${rows.toLocaleString('en-US')} ${rows === 1 ? 'row' : 'rows'}`;
    say(`\n${count}, ${form}, load ${loadavg()[0]?.toFixed(1)}`);
    say(`\n${rows === 1 ? startTable(taken) : table(taken, rows)}\n`);
  };

  const rowsOf =
    values.rows?.split(',').map(Number) ?? (name === 'telecom' ? [300_000, 3_000_000] : [300_000]);
  for (const rows of rowsOf) for (const form of forms) await compare(rows, form);
  if (name === 'telecom' && values.rows === undefined) await compare(1, 'plain');
}

/** For a file of one row, of which rates say nothing. */
function startTable(taken: ReadonlyMap<string, readonly Taken[]>): string {
  const lines = [...taken].map(([name, all]) => {
    const ms = 1000 * median(all.map(({ seconds }) => seconds));
    const cpuMs = 1000 * median(all.map(({ cpu }) => cpu));
    const megabytes = median(all.map(({ rss }) => rss)) / 1e6;
    return `| ${name} | ${ms.toFixed(0)} | ${cpuMs.toFixed(0)} | ${megabytes.toFixed(0)} |`;
  });
  return ['| | ms (median) | ms of CPU | peak MB |', '|---|---|---|---|', ...lines].join('\n');
}

function treesText({ name, trees, leaves }: { name: string; trees: number; leaves: number }): string {
  return `${name}: ${trees} trees of ${leaves.toFixed(1)} leaves`;
}

async function compressed(path: string): Promise<string> {
  await pipeline(createReadStream(path), createGzip(), createWriteStream(`${path}.gz`));
  return `${path}.gz`;
}
