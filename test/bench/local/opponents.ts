import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root } from '../../support/root.ts';
import { bin } from '../../support/rowcast.ts';
import type { Command, Taken } from '../runs.ts';
import type { Environment, Pythons } from './python.ts';
import type { Training, Trees } from './reports.ts';

const exec = promisify(execFile);

/** Scripts in Python: those to compare with, their trainings, and the one that measures a process. */
const peers = join(root, 'test/bench/local/peers');

/**
 * Measures processes of any language with the kernel's own figures, all of their threads included.
 *
 * @returns a function that runs a command to its end, and throws with its output if it fails
 */
export function measureWith(python: string, log: string): (command: Command) => Promise<Taken> {
  return async ({ file, args, env }) => {
    const words = [join(peers, 'measure.py'), log, file, ...args];
    const { stdout } = await exec(python, words, { env: { PATH: process.env.PATH, ...env } });
    const { code, seconds, cpu, rss } = JSON.parse(stdout); // The output of measure.py.
    if (code === 0) return { seconds, cpu, rss };
    throw new Error(`${file} ${args.join(' ')} ended with ${code}:\n${await readFile(log, 'utf8')}`);
  };
}

/** What most people would write. */
const scripts: readonly {
  name: string;
  environment: Environment;
  train: string;
  score: string;
  /** Whether it reads and writes Parquet, too. */
  isForParquet: boolean;
}[] = [
  {
    name: 'polars + LightGBM',
    environment: 'lightgbm',
    train: 'train_lightgbm.py',
    score: 'polars_lightgbm.py',
    isForParquet: true,
  },
  {
    name: 'pandas + scikit-learn',
    environment: 'sklearn',
    train: 'train_sklearn.py',
    score: 'pandas_sklearn.py',
    isForParquet: false,
  },
];

/** Of a model that is not ours. */
export interface Trained {
  name: string;
  trees: number;
  leaves: number;
}

/** Trains the others' models with as many trees and leaves. */
export async function trainOthers(
  pythons: Pythons,
  { home, id, historyFile, predict }: Training,
  { rounds, leaves }: Pick<Trees, 'rounds' | 'leaves'>,
): Promise<Trained[]> {
  const trained: Trained[] = [];
  for (const { name, environment, train } of scripts) {
    const counts = [String(rounds), String(Math.round(leaves))];
    const { stdout } = await exec(pythons[environment], [
      join(peers, train),
      historyFile,
      predict,
      ...counts,
      modelOf(home, id, environment),
    ]);
    trained.push({ name, ...JSON.parse(stdout) }); // All that the script prints.
  }
  return trained;
}

/** rowcast and the others, from a file to a file. */
export function scoring(
  pythons: Pythons,
  { home, id }: Pick<Training, 'home' | 'id'>,
  input: string,
  output: string,
): Map<string, Command> {
  const chosen = scripts.filter(({ isForParquet }) => isForParquet || !input.endsWith('.parquet'));
  const args = [bin, 'score', input, '--report', id, '-o', output];
  return new Map<string, Command>([
    ['rowcast', { file: process.execPath, args, env: { ROWCAST_HOME: home } }],
    ...chosen.map(({ name, environment, score }): [string, Command] => [
      name,
      {
        file: pythons[environment],
        args: [join(peers, score), input, output, modelOf(home, id, environment)],
      },
    ]),
  ]);
}

/** Writes a CSV as Parquet. */
export async function toParquet(pythons: Pythons, path: string): Promise<string> {
  const written = path.replace(/csv$/, 'parquet');
  await exec(pythons.lightgbm, [join(peers, 'csv_to_parquet.py'), path, written]);
  return written;
}

const modelOf = (home: string, id: string, environment: Environment): string =>
  join(home, `${id}-${environment}`);
