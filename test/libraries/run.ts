// Trains models with LightGBM, XGBoost and CatBoost, imports them, and compares all scores and predictions, after a
// build: `npm run test:models`, 6 minutes on 2 cores. A library that is not installed is skipped. The environment is a
// folder in .servers, or in $ROWCAST_TEST_SERVERS; it takes 1.2 GB.
//   npm run test:models -- --install             installs pinned versions first, with Python 3.11 and pip
//   npm run test:models -- xgboost dart          only models with all of these words in their names
//   npm run test:models -- --rows 2000           rows of each; otherwise 20,000
//   npm run test:models -- --keep FOLDER         keeps the files of all models there; otherwise of those that differ
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { RowcastError } from '../../src/base/errors.ts';
import { counted } from '../../src/base/number-text.ts';
import { type ImportOptions, importReport } from '../../src/training/imported/import-report.ts';
import { binOf, environmentOf } from '../servers/support/places.ts';
import { root } from '../support/root.ts';

/** A line of train.py: a model with what the library predicts, or why there is none. */
type Line =
  | { skipped: string; why: string }
  | { name: string; failed: string }
  | {
      name: string;
      model: string;
      expected: string;
      rows: number;
      /** Of all rows together. */
      scores: number;
      options: Partial<ImportOptions>;
      /** Whether the model may be refused. */
      refused?: boolean;
    };

interface Result {
  text: string;
  isGood: boolean;
  rows: number;
}

const { values, positionals: words } = parseArgs({
  options: {
    install: { type: 'boolean', default: false },
    rows: { type: 'string', default: '20000' },
    keep: { type: 'string' },
  },
  allowPositionals: true,
});
const source = join(root, 'test/libraries');
const environment = 'model-libraries';
const python = join(binOf(environment), 'python');
if (values.install) install();
if (existsSync(python)) await compareAll();
else process.stdout.write('LightGBM, XGBoost and CatBoost are skipped: --install installs them.\n');

async function compareAll(): Promise<void> {
  const folder = values.keep ?? mkdtempSync(join(tmpdir(), 'rowcast-models-'));
  mkdirSync(folder, { recursive: true });
  const trainer = spawn(python, [join(source, 'train.py'), folder, values.rows, ...words], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1' },
  });
  const ended = new Promise<number | null>(resolve => trainer.on('close', resolve));
  const results: Result[] = [];
  print('model', 'rows', 'same scores', 'same predictions', 'largest difference');
  for await (const text of createInterface({ input: trainer.stdout })) {
    const line = JSON.parse(text) as Line;
    if ('skipped' in line) process.stdout.write(`${line.skipped} is skipped: ${line.why}\n`);
    else results.push(await compare(line, folder));
  }
  const isWhole = (await ended) === 0;
  const bad = results.filter(({ isGood }) => !isGood);
  const rows = results.reduce((sum, result) => sum + result.rows, 0);
  process.stdout.write(`${results.length} models, ${counted(rows)} rows; ${bad.length} differ or failed\n`);
  for (const { text } of bad) process.stdout.write(`${text}\n`);
  if (bad.length > 0) process.stdout.write(`Their files are in ${folder}.\n`);
  else if (values.keep === undefined) rmSync(folder, { recursive: true });
  if (bad.length > 0 || results.length === 0 || !isWhole) process.exitCode = 1;
}

/** Imports a model, which compares all rows, and prints its line of the table. */
async function compare(line: Exclude<Line, { skipped: string }>, folder: string): Promise<Result> {
  if ('failed' in line)
    return { text: print(line.name, `not trained: ${line.failed}`), isGood: false, rows: 0 };
  const { name, model, expected, rows, scores, options, refused = false } = line;
  const result = await importReport({
    ...options,
    file: model,
    expect: expected,
    id: 'model',
    home: join(folder, 'home'),
    ifExists: 'replace',
  }).then(
    ({ report }): Result => {
      const { compared } = report.imported_from;
      // A score that is not the same is an error, so all other numbers are predictions.
      const [all, same] = [(compared?.numbers ?? 0) - scores, (compared?.identical ?? 0) - scores];
      const difference = String(compared?.largest_difference);
      const text = print(name, counted(rows), '100%', all === 0 ? '-' : share(same, all), difference);
      return { text, isGood: compared?.rows === rows && (scores > 0 || all > 0), rows };
    },
    (error: unknown): Result => {
      if (!(error instanceof RowcastError))
        return { text: print(name, String(error)), isGood: false, rows: 0 };
      const isRefused = error.code === 'unsupported_model' && refused;
      const text = print(name, isRefused ? 'refused' : error.code, error.message);
      return { text, isGood: isRefused, rows: 0 };
    },
  );
  if (result.isGood && values.keep === undefined) for (const file of [model, expected]) rmSync(file);
  return result;
}

function share(part: number, of: number): string {
  return part === of ? '100%' : `${(Math.floor((part / of) * 1e5) / 1e3).toFixed(3)}%`;
}

function print(name: string, ...cells: string[]): string {
  const text = `${name.padEnd(80)} ${cells.join('  ')}`;
  process.stdout.write(`${text}\n`);
  return text;
}

function install(): void {
  const pip = join(binOf(environment), 'pip');
  const commands = [
    ['python3', '-m', 'venv', environmentOf(environment)],
    [pip, 'install', '-r', join(source, 'requirements.txt')],
    // It asks for Python 3.12, and works in 3.11; and it needs no library for GPUs.
    [pip, 'install', '--no-deps', '--ignore-requires-python', 'xgboost==3.4.1'],
  ] as const;
  for (const [command, ...args] of commands)
    if (spawnSync(command, args, { stdio: 'inherit' }).status !== 0) {
      process.stderr.write('The libraries cannot be installed.\n');
      process.exit(1);
    }
}
