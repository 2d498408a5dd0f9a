import { REQUEST_ROWS } from '../../base/contract/limits.ts';
import type { RunValues } from '../../base/options/values/run-values.ts';
import type { Batch } from '../../formats/records/batch.ts';
import type { RowsPlan } from '../../scoring/prepare.ts';
import { countUnsent, type UnsentRows } from '../../scoring/reuse/known-rows.ts';
import type { BatchScorer } from '../../scoring/scorer.ts';
import { type Backends, backends as defaultBackends } from '../../storage/backends.ts';
import type { Source } from '../../storage/source.ts';
import type { RunNote } from '../summary/summary.ts';
import { earlierPredictions } from './earlier-predictions.ts';
import { plannedFiles } from './planned-files.ts';

/** How many of the first rows are looked for. */
const SAMPLE_ROWS = 1 << 16;

/** Where earlier outputs are looked for. */
interface SampleSearch {
  stop: AbortSignal;
  backends?: Backends | undefined;
  note?: ((warning: RunNote) => void) | undefined;
}

/** The first rows of an input, of which is counted how many a run would not send. */
export interface UnsentSample {
  /** How many of the first batches it needs. */
  batches(scorer: BatchScorer | undefined): number;
  /** Counts them. @returns also the share of all rows that is sent, estimated by these */
  count(batches: readonly Batch[]): Promise<{ unsent: UnsentRows; share: number }>;
  close(): Promise<void>;
}

/**
 * Finds out what a run with --reuse or --dedupe would not send, without sending anything.
 *
 * @throws RowcastError as a run would be refused
 */
export async function sampleUnsent(
  options: RunValues,
  planned: Omit<RowsPlan<Source>, 'counted'>,
  { stop, backends = defaultBackends, note = () => {} }: SampleSearch,
): Promise<UnsentSample> {
  const plan = { ...planned, counted: [] };
  const search = { stop, backends, note };
  const found = await plannedFiles(options, plan, await plan.source.identify(), search);
  const reading = { ...search, values: options, onOrder() {} };
  const earlier = found && earlierPredictions(found.files, plan, reading);
  return {
    batches: scorer => Math.ceil(SAMPLE_ROWS / (options.batchRows ?? scorer?.batchRows ?? REQUEST_ROWS)),
    async count(batches) {
      const { source, features, layout, report } = plan;
      const unsent = await countUnsent(
        {
          source,
          features,
          batchRows: options.batchRows,
          known: earlier?.known,
          areEqualSentOnce: options.dedupe,
          merging: { ...plan.values, layout, report },
        },
        batches,
      );
      return { unsent, share: 1 - (unsent.reused + unsent.equal) / Math.max(1, unsent.rows) };
    },
    close: async () => earlier?.close(),
  };
}
