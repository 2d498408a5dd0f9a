import { RowcastError } from '../../base/errors.ts';
import type { RunValues } from '../../base/options/values/run-values.ts';
import { sanitize } from '../../base/sanitize.ts';
import type { RowsPlan } from '../../scoring/prepare.ts';
import { LOCAL } from '../../scoring/scorer.ts';
import type { FileVersion } from '../../storage/backend.ts';
import { type Backends, documentAt, isPattern, namesMatching, versionOf } from '../../storage/backends.ts';
import { absoluteName } from '../../storage/folders.ts';
import { writtenFile } from '../output/written-file.ts';
import type { RunNote } from '../summary/summary.ts';
import {
  checkMade,
  checkPlanned,
  isMade,
  type Made,
  type MadeBy,
  madeFileOf,
  otherPredictions,
  type PlannedEarlier,
  readMade,
} from './made-by.ts';

/** An earlier output that fits. */
export interface EarlierFile {
  readonly file: string;
  readonly made: Made;
  /** The version of the file that was compared with it. */
  readonly version: FileVersion;
}

/** Checks that it matters how many rows are sent, and not which. @throws RowcastError `bad_option` */
export function checkSentOnce({ scorer }: Pick<RowsPlan, 'scorer'>, option: string): void {
  const refuse = (why: string): never => {
    throw new RowcastError('bad_option', `${option}: ${why}`, { hint: 'Leave it out.' });
  };
  if (scorer.name === LOCAL)
    refuse('a local report predicts a row in the time in which an earlier prediction is found');
  if (scorer.dependsOnBatch === true)
    refuse('the predictions of this service depend on which rows share a request');
}

/** @throws RowcastError `bad_option` */
function checkOptions(values: ReuseValues, plan: RowsPlan): void {
  checkSentOnce(plan, '--reuse');
  const { layout, report } = plan;
  const refuse = (why: string, hint: string): never => {
    throw new RowcastError('bad_option', `--reuse: ${why}`, { hint });
  };
  const { format = layout.format } = writtenFile(values);
  if (format !== layout.format)
    refuse(
      `the output is of the format ${format}, and the input of ${layout.format}, so an output does not tell what was sent`,
      'Write the format of the input, or leave it out.',
    );
  if (values.outputHeader === false && format === 'csv')
    refuse('an output without a header does not tell its columns', 'Leave out --no-output-header.');
  if (values.reuseSample !== undefined && !('percent' in values.reuseSample))
    throw new RowcastError('bad_option', '--reuse-sample: expected a share, such as 0.1%');
  if (report.model_sha256 === undefined && values.reuseMaxAge === undefined)
    refuse(
      'the service states no version of its model, so a prediction may be of another model',
      'Take that risk for a time, such as --reuse-max-age 7d, or leave it out.',
    );
}

type ReuseValues = Parameters<typeof writtenFile>[0] &
  Pick<RunValues, 'output' | 'outputHeader' | 'reuse' | 'reuseMaxAge' | 'reuseSample'>;

export interface EarlierSearch {
  /** What makes the predictions of this run. */
  now: MadeBy;
  /** The files that were found when a run in shards was planned. */
  planned?: readonly PlannedEarlier[] | undefined;
  /** When the run began, ISO 8601. */
  startedAt: string;
  backends: Backends;
  stop: AbortSignal;
  note(warning: RunNote): void;
}

/**
 * The outputs that --reuse names, if their predictions are those that this run would get.
 *
 * @throws RowcastError `bad_option`, `other_predictions`; of reading a file
 */
export async function earlierFiles(
  values: ReuseValues,
  plan: RowsPlan,
  search: EarlierSearch,
): Promise<EarlierFile[]> {
  checkOptions(values, plan);
  const { planned, backends, stop } = search;
  const files: EarlierFile[] = [];
  for (const file of planned?.map(each => each.file) ?? (await filesOf(values, backends, stop))) {
    const found = await earlierFile(file, values, plan, search);
    if (found !== undefined) files.push(found);
  }
  const [first] = files;
  for (const { file, made } of files)
    if (JSON.stringify(made.prediction) !== JSON.stringify(first?.made.prediction))
      throw otherPredictions(file, `what is predicted is not what ${sanitize(first?.file ?? '')} has`);
  return files;
}

/** The files that are named, each once, in order; those of a pattern from the last name to the first. */
async function filesOf(
  { reuse }: Pick<RunValues, 'reuse'>,
  backends: Backends,
  stop: AbortSignal,
): Promise<string[]> {
  const files: string[] = [];
  for (const name of [reuse ?? []].flat())
    if (await isPattern(name, backends, stop))
      files.push(...(await namesMatching(name, backends, stop)).filter(isOutput).toReversed());
    else files.push(name);
  return [...new Set(files)];
}

/** A pattern may match files beside outputs. */
const isOutput = (name: string): boolean => !/\.(?:reuse|rejects|checkpoint|partial|lock)$/.test(name);

/**
 * An output, and what made it.
 *
 * @returns undefined if the output does not exist or is too old
 * @throws RowcastError `other_predictions`
 */
async function earlierFile(
  file: string,
  { output: written, reuseMaxAge }: ReuseValues,
  plan: RowsPlan,
  { now, planned, startedAt, backends, stop, note }: EarlierSearch,
): Promise<EarlierFile | undefined> {
  const nothing = (why: string): undefined => {
    note({ code: 'nothing_to_reuse', message: `nothing of ${sanitize(file)} is reused: ${why}` });
  };
  const version = await versionOf(file, backends, stop);
  const before = planned?.find(each => each.file === file);
  if (before !== undefined) checkPlanned(before, version);
  if (version === undefined) return nothing('there is no such file');
  const isOwn = written !== '-' && absoluteName(file) === absoluteName(written);
  const bytes = await documentAt(madeFileOf(file), backends).read();
  // A run that was killed when its output was there has not written what made it.
  if (bytes === undefined && isOwn) return nothing('nothing tells what made it');
  if (bytes === undefined)
    throw otherPredictions(
      file,
      `nothing tells what made them, since there is no ${sanitize(madeFileOf(file))}`,
      'A run with --reuse writes it beside its output, even if it finds nothing to reuse. For the first run, name a file that does not exist yet.',
    );
  const made = readMade(file, bytes);
  const isSame = await isMade(file, made, version, backends);
  if (!isSame && isOwn) return nothing('nothing tells what made it');
  if (!isSame) throw wasChanged(file);
  checkMade(file, made, now, plan);
  // The plan has decided that.
  if (before !== undefined) return { file, made, version };
  const age = (Date.parse(startedAt) - Date.parse(made.predicted_at)) / 1000;
  if (reuseMaxAge !== undefined && age > reuseMaxAge)
    return nothing(`its oldest predictions are of ${made.predicted_at}, and so older than --reuse-max-age`);
  if (plan.report.model_sha256 === undefined)
    note({
      code: 'reuse_without_version',
      message: `predictions since ${made.predicted_at} are reused, although the service does not tell whether its model has changed`,
    });
  return { file, made, version };
}

export const wasChanged = (file: string): RowcastError =>
  otherPredictions(file, 'the file was changed or repaired since its run has finished');
