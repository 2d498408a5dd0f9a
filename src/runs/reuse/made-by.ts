import * as z from 'zod';
import type { PredictionType } from '../../base/contract/predictions.ts';
import { RowcastError } from '../../base/errors.ts';
import type { RunValues } from '../../base/options/values/run-values.ts';
import { sanitize } from '../../base/sanitize.ts';
import { plannedPredictionType, type RowsPlan } from '../../scoring/prepare.ts';
import { predictionTypeShape } from '../../scoring/row-counts.ts';
import type { FileVersion } from '../../storage/backend.ts';
import { type Backends, sha256Of } from '../../storage/backends.ts';
import { differencesOf, type Fingerprint, fingerprintShape } from '../checkpoint/checkpoint.ts';

/**
 * What made the predictions of an output, besides the values of each row. Two predictions for the same values are the
 * same if this is; so is what was appended, byte for byte.
 */
export type MadeBy = Omit<Fingerprint, 'input'>;

/**
 * The options that affect an output and need not be the same, because what follows from them is compared: the columns
 * that are sent, the format, or, where a row is found again, the values themselves. Options that only say how fast
 * requests are made are not among those that affect an output. Every other option is compared as it is, so that a new
 * one is compared until it is listed here.
 */
const NOT_COMPARED: ReadonlySet<string> = new Set([
  ...['--features', '--exclude-features', '--types', '--allow-missing'],
  ...['--names', '--encoding', '--skip-lines', '--limit'],
  ...['--output-format', '--group-rows', '--keep', '--output-header', '--rejects'],
]);

/** @param fingerprint of the run that makes them */
export function madeBy(
  { input: _, options, ...others }: Fingerprint,
  { features }: Pick<RowsPlan, 'features'>,
  { headerEnv = {} }: Pick<RunValues, 'headerEnv'>,
): MadeBy {
  const compared = Object.entries(options).filter(([name]) => !NOT_COMPARED.has(name));
  const columns = features.map(({ index: _index, ...column }) => column);
  const headers = Object.keys(headerEnv).map(name => name.toLowerCase());
  return {
    ...others,
    options: {
      ...Object.fromEntries(compared),
      'what is sent': JSON.stringify(columns),
      // Their values are secrets.
      ...(headers.length > 0 && { 'what --header-env names': JSON.stringify(headers.toSorted()) }),
    },
  };
}

/** The first difference between what made earlier predictions and what would make them now; undefined if none. */
export function differenceTo(made: MadeBy, now: MadeBy): string | undefined {
  const input = { path: '', size: null, modified: null, codec: '' };
  return [...differencesOf({ ...made, input }, { ...now, input })][0];
}

export const madeByShape = fingerprintShape.omit({ input: true });

/** What is kept beside an output, so that its predictions can be reused. */
const madeShape = z.object({
  format: z.literal(1),
  run_id: z.string(),
  /** When its run has ended, and when the oldest of its predictions was made. */
  finished_at: z.string(),
  predicted_at: z.string(),
  /** The version of the output, and its SHA-256 unless its store has versions. */
  output: z.object({ size: z.number(), modified: z.number(), etag: z.string().optional() }),
  sha256: z.string().nullable(),
  prediction: predictionTypeShape,
  made_by: madeByShape,
  /** Some rows of an output that is text as it is stored, and where they begin, by which another run finds its part. */
  places: z.array(z.object({ offset: z.number(), row: z.number() })).optional(),
});
export interface Made extends z.infer<typeof madeShape> {
  output: FileVersion;
  prediction: PredictionType;
  made_by: MadeBy;
}

/** The name of the file that is kept beside an output. */
export const madeFileOf = (output: string): string => `${output}.reuse`;

/** @throws RowcastError `other_predictions` */
export function readMade(file: string, bytes: Buffer): Made {
  try {
    return madeShape.parse(JSON.parse(bytes.toString()));
  } catch {
    throw otherPredictions(file, `${sanitize(madeFileOf(file))} is not what this version of rowcast writes`);
  }
}

/** Whether a file is the one that its run has written. @param version of the file */
export const isMade = async (
  file: string,
  { output, sha256 }: Pick<Made, 'output' | 'sha256'>,
  version: FileVersion,
  backends: Backends,
): Promise<boolean> =>
  output.size === version.size &&
  (output.etag === undefined
    ? output.modified === version.modified || (sha256 !== null && sha256 === (await sha256Of(file, backends)))
    : output.etag === version.etag);

/**
 * Checks that the predictions of an output are those that this run would get.
 *
 * @throws RowcastError `other_predictions`, naming the difference
 */
export function checkMade(file: string, made: Made, now: MadeBy, plan: RowsPlan): void {
  const planned = plannedPredictionType(plan);
  const difference =
    differenceTo(made.made_by, now) ??
    (planned !== undefined && JSON.stringify(planned) !== JSON.stringify(made.prediction)
      ? 'what is predicted, or the order of the classes, was another'
      : undefined);
  if (difference !== undefined)
    throw otherPredictions(file, `they were not made as this run makes them: ${difference}`);
}

/** An earlier output that was found when a run in shards was planned. */
export const plannedEarlierShape = z.strictObject({
  /** An absolute path, or a URL. */
  file: z.string(),
  run_id: z.string(),
  predicted_at: z.string(),
  /** What tells it from a changed one. */
  size: z.number(),
  modified: z.number(),
  etag: z.string().exactOptional(),
});
export type PlannedEarlier = z.infer<typeof plannedEarlierShape>;

/**
 * Checks that a machine sees the earlier output that was planned.
 *
 * @param version of the file; undefined if it is not there
 * @throws RowcastError `other_predictions`
 */
export function checkPlanned(planned: PlannedEarlier, version: FileVersion | undefined): void {
  const { file, size, modified, etag } = planned;
  if (size === version?.size && modified === version.modified && etag === version.etag) return;
  throw new RowcastError(
    'other_predictions',
    `the earlier output that the plan reuses ${version === undefined ? 'is not there' : 'has changed since'}`,
    {
      location: { file },
      hint: 'Each machine needs it by this name, as it was when the run was planned. Restore it, or discard the run with rowcast abort and plan again.',
    },
  );
}

export const otherPredictions = (
  file: string,
  why: string,
  hint = 'Leave out --reuse: all rows are then sent once, and the next run can reuse this one.',
): RowcastError =>
  new RowcastError('other_predictions', `the predictions cannot be reused: ${why}`, {
    location: { file },
    hint,
  });
