// Scoring with a local report, as whole processes run alternately with scripts in Python; skipped without Python.

import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { alternate, machine, table } from '../runs.ts';
import { callBatches, callsTable } from './batch-persona.ts';
import { type Choices, choicesOf, type Form, UsageError, usage } from './choices.ts';
import { figuresOf, startTable } from './figures.ts';
import { formats, toJsonLines } from './json-lines.ts';
import { measureWith } from './measure.ts';
import { scoring, toParquet, trainOthers } from './opponents.ts';
import { installPythons, type Pythons } from './python.ts';
import { replaceTrees, type Training, trainReport, treesOf } from './reports.ts';
import { type Table, tables } from './tables.ts';

/** The others get these where our model has no trees. */
const DEFAULT_TREES = { rounds: 30, leaves: 31 };

const say = (text: string): boolean => process.stdout.write(`${text}\n`);

const words = process.argv.slice(3);
if (words.includes('--help')) process.stdout.write(usage);
else {
  try {
    const chosen = choicesOf(words);
    const pythons = await installPythons(say);
    if (typeof pythons === 'string') say(`skipped: ${pythons}`);
    else await measureAll(pythons, chosen);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    process.stderr.write(`${error.message}\n\n${usage}`);
    process.exitCode = 2;
  }
}

async function measureAll(pythons: Pythons, chosen: Choices): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'rowcast-bench-'));
  try {
    say(`${machine()}, load ${loadavg()[0]?.toFixed(1)}, medians of ${chosen.runs}`);
    for (const name of chosen.inputs) {
      const own = tables.get(name);
      if (own !== undefined) await measureInput(name, own, folder, pythons, chosen);
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
  { parts, rowsOf, forms, runs, trees: wanted }: Choices,
): Promise<void> {
  const training: Training = { home: folder, id: name, historyFile: await history(folder), predict };
  await trainReport(training);
  if (wanted !== undefined) await replaceTrees(training, wanted);
  const trees = await treesOf(folder, name);
  const others = await trainOthers(pythons, training, trees ?? DEFAULT_TREES);
  const ours = trees === undefined ? 'rowcast: no trees' : treesText({ name: 'rowcast', ...trees });
  say(`\n## ${name}\n\n${[ours, ...others.map(treesText)].join('; ')}`);

  const measure = measureWith(pythons.lightgbm, join(folder, 'log.txt'));
  const compare = async (rows: number, form: Form): Promise<void> => {
    const plain = join(folder, 'personas.csv');
    await writePersonas(rows, plain);
    const inputs = {
      plain: () => plain,
      gzip: () => compressed(plain),
      parquet: () => toParquet(pythons, plain),
      jsonl: () => toJsonLines(plain),
    };
    const input = await inputs[form]();
    const outputOf = (suffix: string): string => join(folder, `out.${suffix}`);
    const output = outputOf({ plain: 'csv', gzip: 'csv.gz', parquet: 'parquet', jsonl: 'jsonl' }[form]);
    const commands =
      form === 'jsonl'
        ? formats(training, { csv: plain, jsonl: input }, outputOf)
        : scoring(pythons, training, input, output);
    const clean = async (): Promise<void> => {
      for (const path of [output, outputOf('csv')]) await rm(path, { force: true });
    };
    const taken = await alternate(commands, runs, clean, measure);
    say(
      `\n${rows.toLocaleString('en-US')} ${rows === 1 ? 'row' : 'rows'}, ${form}, load ${loadavg()[0]?.toFixed(1)}`,
    );
    const figures = figuresOf(taken);
    say(`\n${rows === 1 ? startTable(figures) : table(taken, rows)}\n`);
    const medians = Object.fromEntries(figures);
    say(JSON.stringify({ bench: 'local', input: name, rows, form, runs, trees, others, medians }));
  };

  if (parts.includes('score')) {
    for (const rows of rowsOf(name)) for (const form of forms) await compare(rows, form);
  }
  if (name !== 'telecom') return;
  if (parts.includes('row')) await compare(1, 'plain');
  if (parts.includes('service')) {
    const input = join(folder, 'personas.csv');
    await writePersonas(1000, input);
    const calls = await callBatches(folder, name, input, runs);
    say(`\n${callsTable(calls)}\n`);
    say(JSON.stringify({ bench: 'local', part: 'service', runs, trees, ...calls }));
  }
}

function treesText({ name, trees, leaves }: { name: string; trees: number; leaves: number }): string {
  return `${name}: ${trees} trees of ${leaves.toFixed(1)} leaves`;
}

async function compressed(path: string): Promise<string> {
  await pipeline(createReadStream(path), createGzip(), createWriteStream(`${path}.gz`));
  return `${path}.gz`;
}
