import { stat } from 'node:fs/promises';
import { RowcastError } from '../base/errors.ts';
import { countOf } from '../base/number-text.ts';
import type { Values } from '../base/options/values/resolve-options.ts';
import type { verifyOptions } from '../base/options/verify.ts';
import { commandOf } from '../base/shell-word.ts';
import type { LongField } from '../formats/records/long-field.ts';
import { finishKilledRepair } from '../runs/finish-repair.ts';
import { runFilesOf } from '../runs/paths/run-files.ts';
import { newVerifiedRows, type VerifiedRows } from '../runs/verify/compare.ts';
import { mismatch } from '../runs/verify/mismatch.ts';
import { type SampleOptions, verify } from '../runs/verify/verify.ts';
import { followLinks } from '../storage/local/follow-links.ts';

/** A finished pair. */
export interface FilesToVerify {
  /** A path, or `-` for stdin, as are the others. */
  input: string;
  output: string;
  values: Values<typeof verifyOptions>;
  /** Receives the counts so far. */
  tally?: VerifiedRows;
  onLongField?: (field: LongField) => void;
  /** Predicts rows again, if some are to be compared with what is predicted now. */
  sample?: Pick<SampleOptions, 'size' | 'predict'> | undefined;
}

/** The counts of a pair that agrees, and its rejects file, if there is one. */
export interface Verified {
  tally: VerifiedRows;
  rejects: string | undefined;
  /** Rows that were predicted again; undefined if none were to be. */
  sampled: number | undefined;
}

/**
 * Verifies an output with the rejects that its run has left.
 *
 * @throws RowcastError `difference`, the first one found; `unfinished`, `no_such_file` and other errors of the input
 */
export async function verifyFiles(files: FilesToVerify): Promise<Verified> {
  const { input, output, values, tally = newVerifiedRows(), onLongField } = files;
  if (output !== '-') await finishKilledRepair(output);
  const usual = await usualRejects(output);
  const rejects = values.rejects ?? (usual !== undefined && (await exists(usual)) ? usual : undefined);
  if ([input, output, rejects].filter(file => file === '-').length > 1)
    throw new RowcastError('usage', 'stdin can be used for one file only', {
      hint: 'Give paths for the others.',
    });
  const pair = { input, output, rejects, repaired: await repairedOf(output) };
  let sampled: number | undefined;
  const onCompared = (rows: number): void => {
    sampled = rows;
  };
  const sample = files.sample && { ...files.sample, onCompared };
  await verify({ ...values, ...pair, tally, onLongField, sample }).catch(error => hintAtRun(error, output));
  if (rejects === undefined && usual !== undefined) checkHasNoRejects(tally, usual);
  return { tally, rejects, sampled };
}

/**
 * Checks that no row is missing from the output if there is no rejects file: a run that rejects rows leaves one.
 *
 * @throws RowcastError `difference`
 */
function checkHasNoRejects({ unscored, malformed }: VerifiedRows, file: string): void {
  const rejected = unscored + malformed;
  if (rejected === 0) return;
  throw mismatch(
    `the rejects file is missing, but ${countOf(rejected, 'row')} of the input ${rejected === 1 ? 'was' : 'were'} rejected`,
    { file },
    'Restore it, or name it with --rejects. Output of batch-predict or of score to stdout never has one: verify it through stdin, rowcast verify INPUT - < OUTPUT.',
  );
}

/** Where a run puts the rejects of an output unless it is told otherwise; undefined if the output is not a file. */
async function usualRejects(output: string): Promise<string | undefined> {
  if (output === '-' || !(await stat(output).catch(() => undefined))?.isFile()) return undefined;
  return runFilesOf(await followLinks(output)).rejects;
}

/** The rows that were repaired, if there are any. */
async function repairedOf(output: string): Promise<string | undefined> {
  if (output === '-') return undefined;
  const { repaired } = runFilesOf(await followLinks(output));
  return (await exists(repaired)) ? repaired : undefined;
}

const exists = async (file: string): Promise<boolean> =>
  (await stat(file).catch(() => undefined)) !== undefined;

/** If the output is missing, its run may still be in progress. */
async function hintAtRun(error: unknown, output: string): Promise<never> {
  const isMissing = error instanceof RowcastError && error.code === 'no_such_file';
  if (!isMissing || error.location.file !== output) throw error;
  if (!(await exists(runFilesOf(await followLinks(output)).checkpoint))) throw error;
  throw new RowcastError('unfinished', 'the run that writes this file is not finished', {
    location: { file: output },
    hint: `${commandOf('status', [output])} shows its progress.`,
    cause: error,
  });
}
