import { RowcastError } from '../base/errors.ts';
import { inputOptions } from '../base/options/input.ts';
import { inputsPositional, type Options } from '../base/options/option.ts';
import { outputOptions } from '../base/options/output.ts';
import { rejectsOptions } from '../base/options/repair.ts';
import { planFiles } from '../library/several/plan-files.ts';
import type { FilePair } from '../runs/several/pair-files.ts';
import { RunLedger } from '../runs/several/run-ledger.ts';
import type { Backends } from '../storage/backends.ts';
import type { Context } from './context.ts';
import { readFiles } from './score/read-job.ts';

/** What a command takes from a definition to find the files of its runs. */
export const fileOptions = {
  input: inputsPositional,
  'input-env': inputOptions['input-env'],
  output: outputOptions.output,
  rejects: rejectsOptions.rejects,
} as const satisfies Options;

/** Inputs with the outputs that runs have made of them, or are to make. */
export interface FinishedFiles {
  pairs: readonly FilePair[];
  /** Whether they were named together, so that there may be several. */
  areMany: boolean;
  ledger?: RunLedger;
  secretUrls?: ReadonlyMap<string, string> | undefined;
}

/**
 * The files of the runs of a command line like that of `score`, or of a definition.
 *
 * @param outputOption how the user names the outputs, for messages
 * @throws RowcastError as `planFiles`
 */
export async function filesOfRuns(context: Context, outputOption?: string): Promise<FinishedFiles> {
  const files = await readFiles(context);
  const { inputs, values, areNamedByPattern: areMany, secretUrls } = files;
  if (areMany) return { ...(await planFiles(files, undefined, outputOption)), areMany, secretUrls };
  const [input = '-'] = inputs;
  return { pairs: [{ input, output: values.output, rejects: values.rejects }], areMany, secretUrls };
}

/**
 * The files of the runs that a folder of outputs has a record of.
 *
 * @throws RowcastError `no_output` without a record, `bad_ledger`
 */
export async function filesInFolder(folder: string, among: Backends): Promise<FinishedFiles> {
  const ledger = new RunLedger(folder, among);
  await ledger.read();
  const pairs = ledger.files;
  if (pairs.length > 0) return { pairs, areMany: true, ledger };
  throw new RowcastError('no_output', 'the folder has no record of runs', {
    location: { file: folder },
    hint: 'Only the folder that the pattern of several outputs begins with has one.',
  });
}
