import type { PredictionType } from '../../base/contract/predictions.ts';
import { sanitize } from '../../base/sanitize.ts';
import { reasonOf } from '../../base/system-error.ts';
import type { RowCounts } from '../../scoring/row-counts.ts';
import { type Backends, documentAt, sha256Of, versionOf } from '../../storage/backends.ts';
import type { RunTracker } from '../run-tracker.ts';
import type { Checksums } from '../summary/summary.ts';
import { differenceTo, isMade, type Made, type MadeBy, madeFileOf, readMade } from './made-by.ts';

/** An output that was written with --reuse. */
export interface WrittenOutput {
  output: string;
  prediction: PredictionType;
  made_by: MadeBy;
  /** What the predictions that it may have copied are of. */
  earlier: readonly Pick<Made, 'predicted_at'>[];
  rowCounts: Pick<RowCounts, 'reused'>;
  checksums: Checksums | undefined;
  places?: Made['places'];
}

/** Writes beside a finished output what made it. If that fails, the run has a warning. */
export async function keepMade(
  tracker: Pick<RunTracker, 'attempt' | 'note'>,
  backends: Backends,
  { output, rowCounts, checksums, earlier, ...others }: WrittenOutput,
): Promise<void> {
  const { runId, runStartedAt } = tracker.attempt;
  const times = (rowCounts.reused ?? 0) > 0 ? earlier.map(made => made.predicted_at) : [];
  try {
    const version = output === '-' ? undefined : await versionOf(output, backends);
    if (version === undefined) return;
    const made: Made = {
      format: 1,
      run_id: runId,
      finished_at: new Date().toISOString(),
      predicted_at: times.reduce((oldest, at) => (at < oldest ? at : oldest), runStartedAt),
      output: version,
      // A store has versions of its own, and reading an object once more costs more.
      sha256: checksums?.output ?? (version.etag === undefined ? await sha256Of(output, backends) : null),
      ...others,
    };
    await write(output, made, backends);
  } catch (cause) {
    tracker.note({
      code: 'reuse_not_kept',
      message: `the next run cannot reuse ${sanitize(output)}: ${reasonOf(cause)}`,
    });
  }
}

const write = (output: string, made: Made, backends: Backends): Promise<unknown> =>
  documentAt(madeFileOf(output), backends).update(() => Buffer.from(`${JSON.stringify(made)}\n`));

/**
 * Prepares a repaired output for reuse, which needs corrected rows whose predictions were made like those of the
 * output. A repair does not depend on it: after an error, the next run says that the output cannot be reused.
 *
 * @returns a function that writes beside the repaired output what made it, or does nothing if it cannot be reused
 */
export async function madeOfRepaired(
  output: string,
  corrected: string,
  backends: Backends,
): Promise<() => Promise<void>> {
  const ignore = (): undefined => {};
  const before = await madeOf(output, backends).catch(ignore);
  const added = await madeOf(corrected, backends).catch(ignore);
  if (before === undefined || added === undefined || !areAlike(before, added)) return async () => {};
  const { places: _, ...made } = before;
  const predicted_at = before.predicted_at < added.predicted_at ? before.predicted_at : added.predicted_at;
  const renew = async (): Promise<void> => {
    const version = await versionOf(output, backends);
    if (version === undefined) return;
    const sha256 = await sha256Of(output, backends);
    await write(output, { ...made, predicted_at, output: version, sha256 }, backends);
  };
  return () => renew().catch(ignore);
}

const areAlike = (one: Made, other: Made): boolean =>
  differenceTo(one.made_by, other.made_by) === undefined &&
  JSON.stringify(one.prediction) === JSON.stringify(other.prediction);

/** What made a file, if it is the one that its run has written. */
async function madeOf(file: string, backends: Backends): Promise<Made | undefined> {
  const bytes = file === '-' ? undefined : await documentAt(madeFileOf(file), backends).read();
  const version = bytes && (await versionOf(file, backends));
  if (bytes === undefined || version === undefined) return undefined;
  const made = readMade(file, bytes);
  return (await isMade(file, made, version, backends)) ? made : undefined;
}
