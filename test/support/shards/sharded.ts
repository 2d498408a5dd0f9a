import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { RunValues } from '../../../src/base/options/values/run-values.ts';
import { plannedValues } from '../../../src/library/shards/assemble-job.ts';
import { ModelScorer } from '../../../src/models/local/model-scorer.ts';
import { openFolder, PLAN } from '../../../src/shards/folder/names.ts';
import { type WorkOptions, work } from '../../../src/shards/work/work.ts';
import type { SharedFolder } from '../../../src/storage/shared-folder.ts';
import { newFolder } from '../folder.ts';
import { rowcast } from '../in-process.ts';
import { trainedHome } from '../service/serving.ts';
import { planPairs } from './planned-here.ts';

/** A test of a sharded run in a folder of its own, next to the same run of one process. */
export interface Sharded {
  cwd: string;
  env: { ROWCAST_HOME: string };
  /** Options of score, as flags have them. */
  flags: Record<string, string | boolean>;
  inputs: string[];
  outputs: string[];
  shards: SharedFolder;
}

/** The command line of the single run, without its name. */
export const scoreArguments = ({ flags, inputs }: Pick<Sharded, 'flags' | 'inputs'>, output: string) => [
  ...['score', ...inputs, '--report', 'one', '-o', output],
  ...Object.entries(flags).map(([name, value]) =>
    value === false ? `--no-${name}` : value === true ? `--${name}` : `--${name}=${value}`,
  ),
];

/**
 * Plans the shards of inputs; each is written to a file of its own.
 *
 * @param suffix of the outputs
 * @param inputSuffix of the inputs
 */
export async function planShards(
  t: TestContext,
  texts: readonly (string | Buffer)[],
  suffix: string,
  own: Sharded['flags'] = {},
  inputSuffix = '.csv',
): Promise<Sharded> {
  const flags: Sharded['flags'] = { 'allow-missing': true, ...own };
  const cwd = await newFolder(t);
  const inputs = texts.map((_, i) => `in-${i}${inputSuffix}`);
  for (const [i, text] of texts.entries()) await writeFile(join(cwd, inputs[i] ?? ''), text);
  const outputs = texts.map((_, i) => `out-${i}${suffix}`);
  const shards = openFolder(join(cwd, `${outputs[0]}.shards`));
  const sharded = { cwd, env: { ROWCAST_HOME: await trainedHome() }, flags, inputs, outputs, shards };
  const [first, ...others] = inputs.map((input, i) => ({
    input: join(cwd, input),
    output: join(cwd, outputs[i] ?? ''),
    rejects: typeof flags.rejects === 'string' ? join(cwd, flags.rejects) : undefined,
  }));
  assert.ok(first);
  const scorer = await ModelScorer.open({ home: sharded.env.ROWCAST_HOME, threads: 1 });
  await planPairs([first, ...others], scorer, flags, 'one').finally(() => scorer.close());
  return sharded;
}

/**
 * Scores shards as a worker does.
 *
 * @param only their numbers; all of them if omitted
 * @param own what the worker does otherwise than usual
 */
export async function workOn(
  { shards, env }: Sharded,
  only?: readonly number[],
  own: Partial<Pick<WorkOptions, 'observer' | 'stop'>> & { values?: Partial<RunValues> } = {},
): Promise<void> {
  const scorer = await ModelScorer.open({ home: env.ROWCAST_HOME, threads: 1 });
  try {
    const plan = JSON.parse((await shards.read(PLAN)) ?? '');
    const { observer = {}, stop = new AbortController().signal, values } = own;
    await work(
      {
        folder: shards,
        plan,
        options: { ...plannedValues(plan, {}), ...values },
        scorer: scorer.forRun().scorer,
        observer,
        stop,
      },
      only,
    );
  } finally {
    await scorer.close();
  }
}

/** Runs a command in the folder of the test. */
export const run = ({ cwd, env }: Sharded, ...args: string[]) => rowcast(args, { cwd, env });

export const bytesOf = (path: string): Promise<Buffer | undefined> => readFile(path).catch(() => undefined);
