import { stat } from 'node:fs/promises';
import { verifyOptions } from '../../config/options/verify.ts';
import { resolveValues } from '../../config/resolve-options.ts';
import { RowcastError } from '../../errors.ts';
import type { LongField } from '../../formats/csv/records/long-field.ts';
import { counted, countOf } from '../../library/numbers.ts';
import { ExitCode } from '../../library/run/exit-code.ts';
import { longFieldLine } from '../../library/run/long-field-line.ts';
import { formerRejectsOf } from '../../runs/paths/former-rejects.ts';
import { runFilesOf } from '../../runs/paths/run-files.ts';
import { followLinks } from '../../storage/local/follow-links.ts';
import type { Tally } from '../../verify/compare.ts';
import { mismatch } from '../../verify/mismatch.ts';
import { verify } from '../../verify/verify.ts';
import type { Context } from '../context.ts';

/** Checks that an output file matches its input; the first difference is an error. */
export async function run({ flags, log }: Context): Promise<number> {
  const values = resolveValues(verifyOptions, flags);
  const [input, output] = [String(flags.input), String(flags.output)];
  const usual = await usualRejects(output);
  const rejects = values.rejects ?? (await firstThatExists(usual));
  if ([input, output, rejects].filter(file => file === '-').length > 1)
    throw new RowcastError('usage', 'stdin can be used for one file only', {
      hint: 'Give paths for the others.',
    });
  const begun = performance.now();
  const nameOf = (file: string): string => (file === '-' ? 'stdin' : file);
  const onLongField = (field: LongField): void => {
    const [fields, message] = longFieldLine(nameOf(input), field);
    log.warn({ event: 'long_field', ...fields }, message);
  };
  const files = { input, output, rejects, repaired: await repairedOf(output) };
  const tally = await verify({ ...values, ...files, onLongField }).catch(error => hintAtRun(error, output));
  const seconds = (performance.now() - begun) / 1000;
  if (rejects === undefined && usual[0] !== undefined) checkHasNoRejects(tally, usual[0]);
  const pair = `${nameOf(output)} matches ${nameOf(input)}`;
  log.info({ event: 'verified', tally, seconds }, `${pair}: ${describeTally(tally, rejects, seconds)}`);
  return ExitCode.done;
}

/**
 * Checks that no row is missing from the output if there is no rejects file: a run that rejects rows leaves one.
 *
 * @throws RowcastError `difference`
 */
function checkHasNoRejects({ unscored, malformed }: Tally, file: string): void {
  const rejected = unscored + malformed;
  if (rejected === 0) return;
  throw mismatch(
    `the rejects file is missing, but ${countOf(rejected, 'row')} of the input ${rejected === 1 ? 'was' : 'were'} rejected`,
    { file },
    'Restore it, or name it with --rejects. Output of batch-predict or of score to stdout never has one: verify it through stdin, rowcast verify INPUT - < OUTPUT.',
  );
}

/** For example `5 rows, 3 scored, 2 rejected (1 without probabilities, 1 malformed; not checked: no rejects file)`. */
function describeTally(tally: Tally, rejects: string | undefined, seconds: number): string {
  const { rows, scored, repaired, unscored, malformed, blank } = tally;
  const where = rejects === undefined ? 'not checked: no rejects file' : `all in ${rejects}`;
  const parts = [
    countOf(rows, 'row'),
    `${counted(scored)} scored${repaired > 0 ? ` (${counted(repaired)} repaired)` : ''}`,
    `${counted(unscored + malformed)} rejected`,
    countOf(blank, 'blank line'),
  ];
  if (unscored + malformed > 0)
    parts[2] += ` (${counted(unscored)} without probabilities, ${counted(malformed)} malformed; ${where})`;
  return `${parts.join(', ')}; in ${seconds.toFixed(1)} s, ${counted(rows / seconds)} rows/s`;
}

/** Where a run puts the rejects of an output by default, now and formerly; nowhere if the output is not a file. */
async function usualRejects(output: string): Promise<string[]> {
  if (output === '-' || !(await stat(output).catch(() => undefined))?.isFile()) return [];
  const path = await followLinks(output);
  return [runFilesOf(path).rejects, formerRejectsOf(path)];
}

/** The rows that were repaired, if there are any. */
async function repairedOf(output: string): Promise<string | undefined> {
  if (output === '-') return undefined;
  const { repaired } = runFilesOf(await followLinks(output));
  return (await exists(repaired)) ? repaired : undefined;
}

async function firstThatExists(files: readonly string[]): Promise<string | undefined> {
  for (const file of files) if (await exists(file)) return file;
  return undefined;
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
    hint: `rowcast status ${output} shows its progress.`,
    cause: error,
  });
}
