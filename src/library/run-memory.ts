import { LAST } from '../base/options/drift.ts';
import { lastRunOf } from '../runs/several/last-runs.ts';
import type { RunMemory } from '../runs/summary/last-run.ts';
import { lastRunIn } from '../runs/summary/last-run-shape.ts';
import type { JobValues } from './job-values.ts';
import type { RunJob } from './run-job.ts';

/**
 * Where the last good run of a job is known from: the ledger, if the job keeps one, and else its summary, which the new
 * run replaces.
 *
 * @param isMany whether the job keeps a ledger anyway
 */
export function memoryOf(job: RunJob, isMany: boolean): RunMemory | undefined {
  const { values, backends, places, outputAsWritten = places.output } = job;
  const { output } = places;
  const isKept = typeof output === 'string' && output !== '-' && (isMany || comparesLast(values));
  const ledger =
    isKept && typeof outputAsWritten === 'string' ? lastRunOf(outputAsWritten, output, backends) : undefined;
  const { summary } = values;
  if (summary === undefined || summary === '-') return ledger;
  return { ...ledger, read: async () => (await ledger?.read()) ?? lastRunInSummary(summary, job) };
}

/** Whether a run needs more of the last one than its summary has, which may have another name every day. */
const comparesLast = ({ compare, minRows, ifSameAsLast, summary, metrics }: JobValues): boolean =>
  compare === LAST ||
  (summary === undefined && metrics !== undefined) ||
  (minRows !== undefined && 'percent' in minRows) ||
  ifSameAsLast !== 'warn';

async function lastRunInSummary(file: string, { backends }: RunJob) {
  // Loaded only when it is needed.
  const { readSummaryJson } = await import('../runs/summary/earlier-summary.ts');
  return lastRunIn(await readSummaryJson(file, backends).catch(() => undefined));
}
