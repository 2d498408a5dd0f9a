import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { Predictions } from '../../../src/base/contract/predictions.ts';
import type { RunValues } from '../../../src/base/options/values/run-values.ts';
import { verifyOutput } from '../../../src/runs/verify/verify.ts';
import { newFolder } from '../folder.ts';
import { job } from './job.ts';
import { rowScorer } from './row-scorer.ts';
import { score } from './score.ts';

const classes = ['no', 'yes'];

/** Different probabilities for rows that follow each other. */
const predict = (rows: readonly unknown[]): Predictions => ({
  kind: 'distribution',
  classes,
  probabilities: Float64Array.from(rows.flatMap((_, row) => [(row % 64) / 64, 1 - (row % 64) / 64])),
  errors: new Map(),
});

/** An input, and the output that is made of it, by their names, which tell their formats. */
export interface Conversion {
  from: string;
  text: string | Buffer;
  to: string;
}

/** Scores a file into one of another format by its column `id`, verifies it, and returns it. */
export async function scoredAs(
  t: TestContext,
  { from, text, to }: Conversion,
  options: Partial<RunValues> = {},
) {
  const folder = await newFolder(t);
  const [input, output] = [join(folder, from), join(folder, to)];
  await writeFile(input, text);
  const values = job({ input, output, features: ['id'], ...options });
  await score(values, rowScorer(predict, { classes }));
  const rejects = await readFile(`${output}.rejects`, 'utf8').catch(() => '');
  const { keep, rename, delimiter, quote, decimals, nulls } = values;
  const check = (file = output) =>
    verifyOutput({
      input,
      output: file,
      maxRecordBytes: 1 << 20,
      keep,
      rename,
      delimiter,
      quote,
      decimals,
      nulls,
      ...(rejects !== '' && { rejects: `${output}.rejects` }),
    });
  await check();
  return { folder, bytes: await readFile(output), rejects, check };
}
