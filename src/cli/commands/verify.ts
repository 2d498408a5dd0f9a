import { verifyOptions } from '../../config/options/verify.ts';
import { resolveValues } from '../../config/resolve-options.ts';
import type { LongField } from '../../formats/csv/records/long-field.ts';
import { counted, countOf } from '../../library/numbers.ts';
import { ExitCode } from '../../library/run/exit-code.ts';
import { longFieldLine } from '../../library/run/long-field-line.ts';
import { verifyFiles } from '../../library/verify-files.ts';
import type { Tally } from '../../verify/compare.ts';
import type { Context } from '../context.ts';

/** Checks that an output file matches its input; the first difference is an error. */
export async function run({ flags, log }: Context): Promise<number> {
  const values = resolveValues(verifyOptions, flags);
  const [input, output] = [String(flags.input), String(flags.output)];
  const begun = performance.now();
  const nameOf = (file: string): string => (file === '-' ? 'stdin' : file);
  const onLongField = (field: LongField): void => {
    const [fields, message] = longFieldLine(nameOf(input), field);
    log.warn({ event: 'long_field', ...fields }, message);
  };
  const { tally, rejects } = await verifyFiles({ input, output, values, onLongField });
  const seconds = (performance.now() - begun) / 1000;
  const pair = `${nameOf(output)} matches ${nameOf(input)}`;
  log.info({ event: 'verified', tally, seconds }, `${pair}: ${describeTally(tally, rejects, seconds)}`);
  return ExitCode.done;
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
