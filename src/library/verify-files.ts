import { RowcastError } from '../base/errors.ts';
import { countOf } from '../base/number-text.ts';
import type { Values } from '../base/options/values/resolve-options.ts';
import type { verifyOptions } from '../base/options/verify.ts';
import { commandOf } from '../base/shell-word.ts';
import type { Comparison } from '../formats/comparison.ts';
import type { LongField } from '../formats/records/read-batches.ts';
import { finishKilledRepair } from '../runs/finish-repair.ts';
import { type RunOutputs, runOutputsOf } from '../runs/paths/run-files.ts';
import { newVerifiedRows, type VerifiedRows } from '../runs/verify/compare.ts';
import { mismatch } from '../runs/verify/record-cursor.ts';
import { type SampleOptions, type VerifyOutputOptions, verifyOutput } from '../runs/verify/verify.ts';
import { type Backends, backendsOf, resolveTarget } from '../storage/backends.ts';
import type { DurableOutput } from '../storage/durable-output.ts';

/** A finished pair. */
export interface FilesToVerify {
  /** A path, or `-` for stdin, as are the others. */
  input: string;
  output: string;
  values: Values<typeof verifyOptions> & Pick<VerifyOutputOptions, 'classes' | 'predict' | 'secretUrls'>;
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
  /** Whether rows were compared by their bytes or by the values of their fields. */
  preserves: Comparison['preserves'];
}

/**
 * Verifies an output with the rejects that its run has left.
 *
 * @throws RowcastError `difference`, the first one found; `unfinished`, `no_such_file` and other errors of the input
 */
export async function verifyFiles(files: FilesToVerify): Promise<Verified> {
  const { input, output, values, tally = newVerifiedRows(), onLongField } = files;
  if (output !== '-') await finishKilledRepair(output);
  const own = await outputsOf(output, backendsOf(values));
  const defaultRejects = (await own?.output.exists()) ? own?.rejects : undefined;
  const rejects = values.rejects ?? ((await defaultRejects?.exists()) ? defaultRejects?.address : undefined);
  if ([input, output, rejects].filter(file => file === '-').length > 1)
    throw new RowcastError('usage', 'stdin can be used for one file only', {
      hint: 'Give paths for the others.',
    });
  const pair = {
    input,
    output,
    rejects,
    repaired: (await own?.repaired.exists()) ? own?.repaired.address : undefined,
  };
  let sampled: number | undefined;
  let preserves: Comparison['preserves'] = 'bytes';
  const onComparison = (found: typeof preserves): void => {
    preserves = found;
  };
  const onCompared = (rows: number): void => {
    sampled = rows;
  };
  const sample = files.sample && { ...files.sample, onCompared };
  await verifyOutput({ ...values, ...pair, tally, onLongField, onComparison, sample }).catch(error =>
    hintAtRun(error, own?.output),
  );
  if (rejects === undefined && defaultRejects !== undefined) checkHasNoRejects(tally, defaultRejects.address);
  return { tally, rejects, sampled, preserves };
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

/** What a run leaves next to its output; undefined for what is not written by runs, such as a pipe. */
const outputsOf = (output: string, among: Backends): Promise<RunOutputs | undefined> =>
  resolveTarget(output, false, among).then(
    ({ durable }) => durable && runOutputsOf(durable),
    () => undefined, // opening it says why
  );

/** If the output is missing, its run may still be in progress. */
async function hintAtRun(error: unknown, output: DurableOutput | undefined): Promise<never> {
  const isMissing = error instanceof RowcastError && error.code === 'no_such_file';
  if (!isMissing || output === undefined || error.location.file !== output.name) throw error;
  if ((await output.checkpoint.read()) === undefined) throw error;
  throw new RowcastError('unfinished', 'the run that writes this file is not finished', {
    location: { file: output.name },
    hint: `To see its progress: ${commandOf('status', [output.name])}`,
    cause: error,
  });
}
