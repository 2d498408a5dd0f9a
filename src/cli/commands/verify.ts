import { counted, countOf } from '../../base/number-text.ts';
import { resolveValues } from '../../base/options/values/resolve-options.ts';
import { sampleOptions, verifyOptions } from '../../base/options/verify.ts';
import type { LongField } from '../../formats/records/long-field.ts';
import { chooseService } from '../../library/service/choose-service.ts';
import { withScorer } from '../../library/service/open-predictor.ts';
import { type FilesToVerify, verifyFiles } from '../../library/verify-files.ts';
import { ExitCode } from '../../runs/exit-code.ts';
import { longFieldLine } from '../../runs/long-field-line.ts';
import type { VerifiedRows } from '../../runs/verify/compare.ts';
import type { Context } from '../context.ts';
import { definedBy } from '../defined-by.ts';
import { reportedRequests } from '../open-service.ts';

/** Checks that an output file matches its input; the first difference is an error. */
export async function run(context: Context): Promise<number> {
  const { flags, log } = context;
  const { classes, predict } = sampleOptions;
  const options = { ...verifyOptions, classes, predict };
  const defined = await definedBy(context, {
    ...options,
    ...(flags.sample !== undefined && sampleOptions),
  });
  const values = resolveValues(options, flags, defined);
  const sample = await sampleOf(context, defined);
  const [input, output] = [String(flags.input), String(flags.output)];
  const begun = performance.now();
  const nameOf = (file: string): string => (file === '-' ? 'stdin' : file);
  const onLongField = (field: LongField): void => {
    const [fields, message] = longFieldLine(nameOf(input), field);
    log.warn({ event: 'long_field', ...fields }, message);
  };
  const {
    tally: verified,
    rejects,
    sampled,
    preserves,
  } = await verifyFiles({ input, output, values, onLongField, sample });
  const seconds = (performance.now() - begun) / 1000;
  const how = preserves === 'values' ? ' by its values' : '';
  const pair = `${nameOf(output)} matches ${nameOf(input)}${how}`;
  const again =
    sampled === undefined ? '' : `; ${countOf(sampled, 'row')} predicted again, with the same result`;
  log.info(
    { event: 'verified', tally: verified, ...(sampled !== undefined && { sampled }), seconds },
    `${pair}: ${describeTally(verified, rejects, seconds)}${again}`,
  );
  return ExitCode.done;
}

/** What predicts rows again with --sample. @throws RowcastError `usage` without a report */
async function sampleOf(
  context: Context,
  defined: Readonly<Record<string, unknown>>,
): Promise<FilesToVerify['sample']> {
  const { flags, env } = context;
  const { nulls } = verifyOptions;
  const values = resolveValues({ ...sampleOptions, nulls }, flags, defined);
  if (values.sample === undefined) return undefined;
  // Loaded only when it is needed.
  const { predictAgain, sampleValues } = await import('../../library/predict-again.ts');
  const run = sampleValues(values);
  const { signal: stop } = new AbortController();
  const opening = {
    values: run,
    address: chooseService({ flags, env }, defined),
    env,
    ...reportedRequests(context, run),
    stop,
  };
  return { size: values.sample, predict: predictAgain(run, use => withScorer(opening, use), stop) };
}

/** For example `5 rows, 3 scored, 2 rejected (1 without prediction, 1 malformed; not checked: no rejects file)`. */
function describeTally(verified: VerifiedRows, rejects: string | undefined, seconds: number): string {
  const { rows, scored, repaired, unscored, malformed, blank } = verified;
  const where = rejects === undefined ? 'not checked: no rejects file' : `all in ${rejects}`;
  const parts = [
    countOf(rows, 'row'),
    `${counted(scored)} scored${repaired > 0 ? ` (${counted(repaired)} repaired)` : ''}`,
    `${counted(unscored + malformed)} rejected`,
    countOf(blank, 'blank line'),
  ];
  if (unscored + malformed > 0)
    parts[2] += ` (${counted(unscored)} without prediction, ${counted(malformed)} malformed; ${where})`;
  return `${parts.join(', ')}; in ${seconds.toFixed(1)} s, ${counted(rows / seconds)} rows/s`;
}
