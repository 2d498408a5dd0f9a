import { unlessStopped } from '../../base/interrupted.ts';
import type { JobValues } from '../../base/options/values/run-values.ts';
import { schemeOf } from '../../base/scheme.ts';
import { reportHash } from '../../runs/checkpoint/fingerprint.ts';
import { lockOutput } from '../../runs/paths/lock-paths.ts';
import type { RunJob } from '../../runs/run.ts';
import { findInputs } from '../../runs/several/input-files.ts';
import { outputOptionsOf } from '../../runs/several/output-options.ts';
import { folderOfPattern, isOutputPattern } from '../../runs/several/output-pattern.ts';
import { type FilePair, pairFiles } from '../../runs/several/pair-files.ts';
import { RunLedger } from '../../runs/several/run-ledger.ts';
import type { Scorer } from '../../scoring/scorer.ts';
import { backends as allBackends, versionOf } from '../../storage/backends.ts';
import type { Target } from '../../storage/target.ts';
import { reportOf } from '../runs-of.ts';

/** The record of the outputs of a job. */
export const ledgerOf = ({ values, backends }: Pick<RunJob, 'values' | 'backends'>): RunLedger =>
  new RunLedger(folderOfPattern(values.output), backends);

/**
 * Finds the inputs of a job and names their outputs.
 *
 * @param outputOption how the user names the outputs, for messages
 * @throws RowcastError `no_such_file`, `same_output`, `output_is_input`, `usage`
 */
export async function planFiles(
  { inputs, values, backends }: Pick<RunJob, 'inputs' | 'values' | 'backends'>,
  stop?: AbortSignal,
  outputOption?: string,
  ledger = ledgerOf({ values, backends }),
): Promise<{ pairs: FilePair[]; ledger: RunLedger }> {
  const { output, rejects, reuse, summary, summaryHtml, metrics, lineage } = values;
  const others = {
    'the summary': summary,
    'the HTML summary': summaryHtml,
    'the metrics': metrics,
    'the lineage': lineage,
    'the record of finished runs': ledger.path,
  };
  return {
    pairs: await pairFiles(await findInputs(inputs, backends, stop), {
      output,
      rejects,
      reuse,
      others,
      outputOption,
    }),
    ledger,
  };
}

/** The outputs and rejects files of all inputs, for `makeOutputFolders`. */
export const writtenBy = (pairs: readonly FilePair[]): ReadonlyMap<string, string> =>
  new Map(
    pairs
      .flatMap(({ output, rejects = output }) => [output, rejects])
      .filter(path => schemeOf(path) === undefined)
      .map(path => [path, path]),
  );

/** The folders that are given by the names of outputs, which are patterns. */
export const fixedFolders = ({
  output,
  rejects = output,
}: {
  output: string;
  rejects?: string | undefined;
}): string[] => [output, rejects].filter(isOutputPattern).map(folderOfPattern);

/** The sizes of files in bytes; 0 for those that cannot be read. */
export async function sizesOf(
  paths: readonly string[],
  among = allBackends,
  stop?: AbortSignal,
): Promise<number[]> {
  const sizes: number[] = [];
  for (const path of paths) sizes.push((await versionOf(path, among, stop))?.size ?? 0);
  return sizes;
}

/** Locks the summary of several runs together; each of them locks its own files. */
export async function lockTotal(
  job: RunJob,
): Promise<{ summary: Target | undefined; release(): Promise<void> }> {
  const {
    values,
    backends,
    paths: { reads },
  } = job;
  const { summary, private: isPrivate } = values;
  if (summary === undefined) return { summary: undefined, release: async () => {} };
  const { target, release } = await lockOutput(summary, undefined, {
    reads,
    isPrivate,
    backends,
  });
  return { summary: target, release };
}

/**
 * What affects the outputs of all files: a finished one is scored again when it changes.
 *
 * @throws RowcastError if there is no such report
 */
export async function outputWorkOf(
  values: JobValues,
  scorer: Scorer,
  stop: AbortSignal,
): Promise<Record<string, string>> {
  const id = reportOf(values);
  const hash = reportHash(await unlessStopped(scorer.describe(id), stop));
  const { name: service, protocol } = scorer;
  return outputOptionsOf(values, { service, protocol, report: { id, hash } });
}
