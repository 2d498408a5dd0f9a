import { stat } from 'node:fs/promises';
import { verifyOptions } from '../../definition/options.ts';
import { resolveValues } from '../../definition/values.ts';
import { RowcastError } from '../../errors.ts';
import type { Tally } from '../../pipeline/compare.ts';
import { difference } from '../../pipeline/difference.ts';
import { runFilesOf } from '../../pipeline/finishing.ts';
import { verify } from '../../pipeline/verify.ts';
import type { Context } from '../context.ts';
import { ExitCode } from '../exit.ts';
import { counted, countOf } from '../progress.ts';

/** Checks that an output is what comes of its input; the first difference is an error. */
export async function run({ flags, log }: Context): Promise<number> {
  const values = resolveValues(verifyOptions, flags);
  const [input, output] = [String(flags.input), String(flags.output)];
  const rejects = values.rejects ?? (await rejectsBeside(output));
  if ([input, output, rejects].filter(file => file === '-').length > 1)
    throw new RowcastError('usage', 'stdin can be only one of the files', {
      hint: 'Give paths for the others.',
    });
  const begun = performance.now();
  const tally = await verify({ ...values, input, output, rejects }).catch(error => hintAtRun(error, output));
  const seconds = (performance.now() - begun) / 1000;
  checkLookedUp(tally, rejects, output);
  const nameOf = (file: string): string => (file === '-' ? 'stdin' : file);
  const pair = `${nameOf(output)} agrees with ${nameOf(input)}`;
  log.info({ tally, seconds }, `${pair}: ${describeTally(tally, rejects, seconds)}`);
  return ExitCode.done;
}

/**
 * A run with rejects leaves a file of them.
 *
 * @throws RowcastError `difference` where it is missing; beside stdin none can be looked for
 */
function checkLookedUp({ unscored, malformed }: Tally, rejects: string | undefined, output: string): void {
  const rejected = unscored + malformed;
  if (rejected === 0 || rejects !== undefined || output === '-') return;
  throw difference(
    `${counted(rejected)} ${rejected === 1 ? 'row is' : 'rows are'} missing or without probabilities, but there is no rejects file`,
    { file: runFilesOf(output).rejects },
  );
}

/** For example `5 rows, 3 scored, 2 rejected (1 without probabilities, 1 malformed; not looked up: no rejects file)`. */
function describeTally(tally: Tally, rejects: string | undefined, seconds: number): string {
  const { rows, scored, unscored, malformed, blank } = tally;
  const where = rejects === undefined ? 'not looked up: no rejects file' : `all in ${rejects}`;
  const parts = [
    countOf(rows, 'row'),
    `${counted(scored)} scored`,
    `${counted(unscored + malformed)} rejected`,
    countOf(blank, 'blank line'),
  ];
  if (unscored + malformed > 0)
    parts[2] += ` (${counted(unscored)} without probabilities, ${counted(malformed)} malformed; ${where})`;
  return `${parts.join(', ')}; in ${seconds.toFixed(1)} s, ${counted(rows / seconds)} rows/s`;
}

async function rejectsBeside(output: string): Promise<string | undefined> {
  const { rejects } = runFilesOf(output);
  const isThere = output !== '-' && (await stat(rejects).catch(() => undefined)) !== undefined;
  return isThere ? rejects : undefined;
}

/** An output that is not there may be on its way. */
async function hintAtRun(error: unknown, output: string): Promise<never> {
  const isMissing = error instanceof RowcastError && error.code === 'no_such_file';
  if (!isMissing || error.place.file !== output) throw error;
  const { checkpoint } = runFilesOf(output);
  if ((await stat(checkpoint).catch(() => undefined)) === undefined) throw error;
  throw new RowcastError('unfinished', 'the run that writes it is not finished', {
    place: { file: output },
    hint: `rowcast status ${output} says how far it is.`,
    cause: error,
  });
}
