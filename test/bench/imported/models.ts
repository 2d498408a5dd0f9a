// Models of LightGBM and XGBoost: whole processes in turn, CSV to CSV, next to Python with polars and the library, and
// next to lleaves, which compiles first. About five minutes on two cores.
//   npm run bench -- models [--python FILE] [--rows N] [--runs N] [WORD]   WORD: only models with it in their names
// Python needs numpy, polars, and lightgbm, xgboost or lleaves; what is not there is skipped.

import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { root } from '../../support/root.ts';
import { bin } from '../../support/rowcast.ts';
import { measureWith } from '../local/opponents.ts';
import { type Command, machine, median, type Taken } from '../runs.ts';

const { values, positionals } = parseArgs({
  args: process.argv.slice(3),
  options: {
    python: { type: 'string', default: process.env.PYTHON ?? 'python3' },
    rows: { type: 'string', default: '1000000' },
    runs: { type: 'string', default: '3' },
  },
  allowPositionals: true,
});
const { python } = values;
const [rows, runs] = [Number(values.rows), Number(values.runs)];
const [word = ''] = positionals;

/** How many times as fast as Python we have to be at least. */
const goals: readonly { model: string; library: 'lightgbm' | 'xgboost'; times: number }[] = [
  { model: 'lightgbm-100x31.txt', library: 'lightgbm', times: 3 },
  { model: 'lightgbm-500x127.txt', library: 'lightgbm', times: 4 },
  { model: 'xgboost-500x8.json', library: 'xgboost', times: 1.5 },
];
const IMPORTED = 'lightgbm-500x255.txt';
const MAX_IMPORT_SECONDS = 2;
const MAX_IMPORT_MEGABYTES = 400;
const MAX_MEGABYTES = 250;

const say = (text: string): boolean => process.stdout.write(`${text}\n`);
const load = (): string => `load ${(loadavg()[0] ?? 0).toFixed(1)}`;
const verdict = (isReached: boolean): string => (isReached ? 'reached' : 'MISSED');
const scripts = join(root, 'test/bench/imported');
const folder = await mkdtemp(join(tmpdir(), 'rowcast-bench-'));
const path = (name: string): string => join(folder, name);
const measure = measureWith(python, path('log.txt'));
const env = { ROWCAST_HOME: path('home') };

const nameOf = (model: string): string => model.replace(/\..*/, '');
const medianOf = (taken: readonly Taken[], what: keyof Taken): number => median(taken.map(one => one[what]));
const megabytes = (taken: readonly Taken[]): number => medianOf(taken, 'rss') / 1e6;
const ratioOf = (theirs: readonly Taken[], own: readonly Taken[], what: keyof Taken): number =>
  medianOf(theirs, what) / medianOf(own, what);

try {
  const made = await trained();
  if (made !== undefined) {
    say(`${machine()}, ${load()}: ${rows.toLocaleString('en-US')} rows of 20 columns, ${runs} runs`);
    for (const goal of goals)
      if (goal.model.includes(word))
        if (made.has(goal.model)) await compare(goal, made.has('lleaves'));
        else say(`${goal.model} is skipped: ${python} has no ${goal.library}`);
    if (made.has(IMPORTED) && IMPORTED.includes(word)) await importLarge();
  }
} finally {
  await rm(folder, { recursive: true });
}

/** Writes the input and the models; undefined, with a message, if Python cannot. */
async function trained(): Promise<Set<string> | undefined> {
  try {
    const words = [join(scripts, 'train.py'), folder, values.rows];
    const { stdout } = await promisify(execFile)(python, words);
    return new Set(stdout.split('\n'));
  } catch (error) {
    say(
      `The models are skipped, because ${python} does not run train.py; --python names another one:\n${error}`,
    );
    return undefined;
  }
}

function importing(model: string): Command {
  const columns = Array.from({ length: 20 }, (_, i) => `x${i}`).join(',');
  const args = [bin, 'import', path(model), '--report', nameOf(model), '--features', columns];
  return { file: process.execPath, args, env };
}

async function compare({ model, library, times }: (typeof goals)[number], hasLeaves: boolean): Promise<void> {
  await measure(importing(model));
  const output = path('out.csv');
  const scoring = (own: string): Command => ({
    file: python,
    args: [join(scripts, 'score.py'), own, path(model), path('in.csv'), output],
  });
  const ours: Command = {
    file: process.execPath,
    args: [bin, 'score', path('in.csv'), '--report', nameOf(model), '-o', output],
    env,
  };
  const [own, theirs]: [Taken[], Taken[]] = [[], []];
  const once = async (command: Command): Promise<Taken> => {
    const taken = await measure(command);
    await rm(output, { force: true });
    return taken;
  };
  for (let run = 0; run < runs; run++) {
    own.push(await once(ours));
    theirs.push(await once(scoring(library)));
  }
  const compiled =
    library === 'lightgbm' && hasLeaves ? await withinLimit(once, scoring('lleaves')) : undefined;
  say(`\n${nameOf(model)}, ${load()}\n\n| | seconds | CPU s | peak MB |\n|---|---|---|---|`);
  say(rowOf('rowcast', own));
  say(rowOf(`polars and ${library}`, theirs));
  if (compiled !== undefined) say(rowOf('polars and lleaves, with its compilation', compiled));
  const ratio = ratioOf(theirs, own, 'seconds');
  say(`\n${ratio.toFixed(2)} times as fast, goal ${times}: ${verdict(ratio >= times)}`);
  say(`${ratioOf(theirs, own, 'cpu').toFixed(2)} times by CPU seconds`);
  const peak = megabytes(own);
  say(`${peak.toFixed(0)} MB, goal ${MAX_MEGABYTES}: ${verdict(peak < MAX_MEGABYTES)}`);
  if (compiled === undefined) return;
  const leaves = ratioOf(compiled, own, 'seconds');
  say(`${leaves.toFixed(2)} times as fast as lleaves, goal 1: ${verdict(leaves >= 1)}`);
}

/** undefined, with a message, if score.py has ended at its limit, by SIGALRM. */
async function withinLimit(
  once: (command: Command) => Promise<Taken>,
  command: Command,
): Promise<Taken[] | undefined> {
  try {
    return [await once(command)];
  } catch (error) {
    if (!String(error).includes('ended with -14')) throw error;
    say('\nlleaves has not compiled the model within 60 s');
    return undefined;
  }
}

async function importLarge(): Promise<void> {
  const { seconds, cpu, rss } = await measure(importing(IMPORTED));
  const peak = megabytes([{ seconds, cpu, rss }]);
  const isReached = seconds < MAX_IMPORT_SECONDS && peak < MAX_IMPORT_MEGABYTES;
  say(
    `\nimport of ${IMPORTED}, ${load()}: ${seconds.toFixed(2)} s, ${cpu?.toFixed(2)} s of CPU, ${peak.toFixed(0)} MB; ` +
      `goal ${MAX_IMPORT_SECONDS} s and ${MAX_IMPORT_MEGABYTES} MB: ${verdict(isReached)}`,
  );
}

function rowOf(name: string, taken: readonly Taken[]): string {
  const [seconds, cpu] = [medianOf(taken, 'seconds'), medianOf(taken, 'cpu')];
  return `| ${name} | ${seconds.toFixed(2)} | ${cpu.toFixed(2)} | ${megabytes(taken).toFixed(0)} |`;
}
