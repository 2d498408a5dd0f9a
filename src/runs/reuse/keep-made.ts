import type { PredictionType } from '../../base/contract/predictions.ts';
import { sanitize } from '../../base/sanitize.ts';
import { reasonOf } from '../../base/system-error.ts';
import type { RowCounts } from '../../scoring/row-counts.ts';
import { type Backends, documentAt, sha256Of, versionOf } from '../../storage/backends.ts';
import type { RunRecord } from '../run-record.ts';
import type { Checksums } from '../summary/summary.ts';
import { type Made, type MadeBy, madeFileOf } from './made-by.ts';

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
  record: Pick<RunRecord, 'attempt' | 'note'>,
  backends: Backends,
  { output, rowCounts, checksums, earlier, ...others }: WrittenOutput,
): Promise<void> {
  const { runId, runStartedAt } = record.attempt;
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
    await documentAt(madeFileOf(output), backends).update(() => Buffer.from(`${JSON.stringify(made)}\n`));
  } catch (cause) {
    record.note({
      code: 'reuse_not_kept',
      message: `the next run cannot reuse ${sanitize(output)}: ${reasonOf(cause)}`,
    });
  }
}
