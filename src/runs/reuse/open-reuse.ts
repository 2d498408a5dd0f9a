import type { PredictionType } from '../../base/contract/predictions.ts';
import { countOf } from '../../base/number-text.ts';
import { sanitize } from '../../base/sanitize.ts';
import type { RowsPlan } from '../../scoring/prepare.ts';
import type { KnownPredictions } from '../../scoring/reuse/known-rows.ts';
import { backends as defaultBackends } from '../../storage/backends.ts';
import type { Fingerprint } from '../checkpoint/checkpoint.ts';
import type { RunResult } from '../observer.ts';
import type { Run } from '../run.ts';
import type { RunTracker } from '../run-tracker.ts';
import { checkSentOnce, type EarlierFile, earlierFiles } from './earlier-files.ts';
import type { RowOrder } from './earlier-output.ts';
import { earlierPredictions } from './earlier-predictions.ts';
import { keepMade } from './keep-made.ts';
import { madeBy } from './made-by.ts';

/** What a run with --reuse copies, and keeps for the next one. */
export interface Reuse {
  /** Undefined if there is nothing to copy. */
  readonly known: KnownPredictions | undefined;
  /** The files that are reused, for the fingerprint of the run. */
  readonly identity: string;
  /** Writes beside the finished output what made it. */
  keep(
    result: Pick<RunResult, 'rowCounts' | 'checksums'>,
    prediction: PredictionType | undefined,
  ): Promise<void>;
  close(): Promise<void>;
}

/**
 * Finds the earlier outputs of --reuse, and what in them can be reused.
 *
 * @param fingerprint of the run, without what it reuses
 * @returns undefined without --reuse, when only what --dedupe needs is checked
 * @throws RowcastError `bad_option`, `other_predictions`; of reading a file
 */
export async function openReuse(
  run: Run,
  tracker: RunTracker,
  plan: RowsPlan,
  fingerprint: Fingerprint,
): Promise<Reuse | undefined> {
  const { values, backends = defaultBackends, control, shard } = run;
  if (values.dedupe) checkSentOnce(plan, '--dedupe');
  if (values.reuse === undefined) return undefined;
  const now = madeBy(fingerprint, plan, values);
  const { signal: stop } = control;
  const files = await earlierFiles(values, plan, {
    now,
    backends,
    stop,
    planned: shard?.earlier,
    startedAt: tracker.attempt.runStartedAt,
    note: warning => tracker.note(warning),
  });
  const onOrder = (file: string, order: RowOrder): void => tracker.tell(each => each.reuses?.(file, order));
  const earlier = earlierPredictions(files, plan, { values, backends, stop, onOrder });
  return {
    known: earlier?.known,
    identity: files.map(identityOf).join('; ') || 'nothing that exists',
    async keep({ rowCounts, checksums }, prediction) {
      // The parts of a run in shards are kept when they are joined.
      if (shard !== undefined || prediction === undefined) return;
      const { output } = values;
      const copied = files.map(({ made }) => made);
      const written = { output, prediction, made_by: now, earlier: copied, rowCounts, checksums };
      await keepMade(tracker, backends, written);
    },
    close: async () => earlier?.close(),
  };
}

/** Tells an earlier output from others, and from its other versions. */
const identityOf = ({ file, made: { run_id, output } }: EarlierFile): string =>
  `${sanitize(file)} (run ${run_id}, ${countOf(output.size, 'byte')}, ${output.etag ?? new Date(output.modified).toISOString()})`;
