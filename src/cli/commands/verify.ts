import { RowcastError } from '../../base/errors.ts';
import { countOf } from '../../base/number-text.ts';
import { jsonOption } from '../../base/options/observability.ts';
import { SHORT_OUTAGE } from '../../base/options/service.ts';
import { resolveValues } from '../../base/options/values/resolve-options.ts';
import { sampleOptions, verifyOptions } from '../../base/options/verify.ts';
import { commandOf } from '../../base/shell-word.ts';
import type { LongField } from '../../formats/records/read-batches.ts';
import { withScorer } from '../../library/service/open-predictor.ts';
import { combineExitCodes, concernsAll } from '../../library/several/combine-exit-codes.ts';
import { type FilesToVerify, verifyFiles } from '../../library/verify-files.ts';
import { ExitCode } from '../../runs/exit-code.ts';
import { longFieldLine } from '../../runs/input-warnings.ts';
import type { FilePair } from '../../runs/several/pair-files.ts';
import { newVerifiedRows, type VerifiedRows } from '../../runs/verify/compare.ts';
import { type Backends, backendsOf } from '../../storage/backends.ts';
import { fileIn, isLocalFolder } from '../../storage/folders.ts';
import { usageError } from '../arguments/usage-error.ts';
import type { Context } from '../context.ts';
import { definedBy } from '../defined-by.ts';
import { eachFile } from '../each-file.ts';
import { type FinishedFiles, fileOptions, filesInFolder, filesOfRuns } from '../finished-files.ts';
import { scorerOptionsOf } from '../open-service.ts';
import { describeTally, describeVerified, type VerifiedFile } from '../terminal/files-text.ts';
import { printJson } from '../terminal/print.ts';

/** Checks that outputs match their inputs; the first difference of a file is an error. */
export async function run(given: Context): Promise<number> {
  const { flags, log } = given;
  const { classes, predict } = sampleOptions;
  const options = { ...verifyOptions, classes, predict };
  const taken = flags.input === undefined ? fileOptions : {};
  const context = await definedBy(given, {
    ...options,
    ...taken,
    ...(flags.sample !== undefined && sampleOptions),
  });
  const values = resolveValues(options, flags, context.defined);
  const { json } = resolveValues(jsonOption, flags);
  const sample = await sampleOf(context);
  const { pairs, areMany, secretUrls } = await filesToVerify(context, backendsOf(values));
  const files: VerifiedFile[] = [];
  const verifyPair = (pair: FilePair): Promise<number> =>
    verifyOne(context, { values: { ...values, secretUrls }, sample }, pair, file => files.push(file));
  if (!areMany) {
    const [pair] = pairs;
    const code = pair && verifyPair(pair).finally(() => json && printJson({ format: 1, ...files[0] }));
    return (await code) ?? ExitCode.done;
  }
  const begun = performance.now();
  const nameOf = ({ output }: FilePair): string => output;
  // A service that is down would be waited for again for each file.
  const isLast = (_: number, error?: unknown): boolean => error !== undefined && concernsAll(error);
  const codes = await eachFile(context, pairs, { nameOf, isLast }, verifyPair);
  const rows = totalOf(files.map(file => file.rows));
  const seconds = (performance.now() - begun) / 1000;
  const code = combineExitCodes(codes, ExitCode.done);
  log[code === ExitCode.done ? 'info' : 'error'](
    { event: 'files_verified', files: pairs.length, rows, seconds },
    describeVerified(files, pairs.length, rows, seconds),
  );
  if (json) await printJson({ format: 1, agrees: code === ExitCode.done, rows, files });
  return code;
}

/** @throws RowcastError `usage`; as `filesOfRuns` and `filesInFolder` */
async function filesToVerify(context: Context, among: Backends): Promise<FinishedFiles> {
  const { input, output, definition } = context.flags;
  const [first, ...others] = [input ?? []].flat().map(String);
  if (first === undefined && definition === undefined)
    throw usageError('missing argument: INPUT', { name: 'verify' });
  if (first !== undefined && output === undefined) {
    if (await isLocalFolder(first)) return filesInFolder(first, among);
    throw usageError('missing argument: OUTPUT', { name: 'verify' });
  }
  if (first !== undefined && others.length === 0 && (await isLocalFolder(first)))
    throw new RowcastError('usage', 'the input is a folder', {
      location: { file: first },
      hint: `For all runs that a folder of outputs has a record of, give that folder alone. Otherwise quote patterns: ${commandOf('verify', [fileIn(first, '*.csv'), fileIn(String(output), '{name}.csv')])}`,
    });
  const files = await filesOfRuns(context, 'OUTPUT');
  if (first === undefined && files.pairs.some(pair => pair.output === '-'))
    throw new RowcastError('usage', 'the definition writes to stdout, which cannot be verified', {
      hint: 'Name the files: rowcast verify INPUT OUTPUT --definition FILE.',
    });
  return files;
}

/** Verifies a pair. @param onVerified called with what became of it, also if that is an error, which is thrown */
async function verifyOne(
  { log }: Context,
  { values, sample }: Pick<FilesToVerify, 'values' | 'sample'>,
  { input, output, rejects: given }: FilePair,
  onVerified: (file: VerifiedFile) => void,
): Promise<number> {
  const begun = performance.now();
  const tally = newVerifiedRows();
  const nameOf = (file: string): string => (file === '-' ? 'stdin' : file);
  const onLongField = (field: LongField): void => {
    const [fields, message] = longFieldLine(nameOf(input), field);
    log.warn({ event: 'long_field', ...fields }, message);
  };
  try {
    const { rejects, sampled, preserves } = await verifyFiles({
      input,
      output,
      values: { ...values, rejects: given },
      tally,
      onLongField,
      sample,
    });
    const seconds = (performance.now() - begun) / 1000;
    const how = preserves === 'values' ? ' by its values' : '';
    const match = `${nameOf(output)} matches ${nameOf(input)}${how}`;
    const again =
      sampled === undefined ? '' : `; ${countOf(sampled, 'row')} predicted again, with the same result`;
    const counted = sampled !== undefined && { sampled };
    log.info(
      { event: 'verified', tally, ...counted, seconds },
      `${match}: ${describeTally(tally, rejects, seconds)}${again}`,
    );
    onVerified({ input, output, agrees: true, rows: tally, rejects: rejects ?? null, ...counted });
    return ExitCode.done;
  } catch (failure) {
    if (!(failure instanceof RowcastError)) throw failure;
    const { code, message, location } = failure;
    const { file, line, row } = location;
    const isDifference = code === 'difference';
    const what = isDifference ? 'difference' : 'error';
    const of = { input, output, agrees: isDifference ? false : null, rows: tally, rejects: given ?? null };
    onVerified({ ...of, [what]: { code, message, file, line, row } });
    throw failure;
  }
}

function totalOf(tallies: readonly VerifiedRows[]): VerifiedRows {
  const total = newVerifiedRows();
  for (const tally of tallies)
    for (const name of Object.keys(total) as (keyof VerifiedRows)[]) total[name] += tally[name];
  return total;
}

/** What predicts rows again with --sample. @throws RowcastError `usage` without a report */
async function sampleOf(context: Context): Promise<FilesToVerify['sample']> {
  const { flags, defined } = context;
  const { nulls } = verifyOptions;
  // Whatever a definition says of its run.
  const given = { 'max-outage': SHORT_OUTAGE, ...flags };
  const values = resolveValues({ ...sampleOptions, nulls }, given, defined);
  if (values.sample === undefined) return undefined;
  // Loaded only when it is needed.
  const { predictAgain, sampleValues } = await import('../../library/predict-again.ts');
  const run = sampleValues(values);
  const { signal: stop } = new AbortController();
  const opening = scorerOptionsOf(context, run, stop);
  return { size: values.sample, predict: predictAgain(run, use => withScorer(opening, use), stop) };
}
