import { LAST } from '../base/options/drift.ts';
import type { JobValues } from '../base/options/values/run-values.ts';
import type { RunJob } from '../runs/run.ts';
import { lastRunOf } from '../runs/several/last-runs.ts';
import type { RunLedger } from '../runs/several/run-ledger.ts';
import { lastRunIn } from '../runs/summary/good-run.ts';
import type { LastRun } from '../runs/summary/last-run.ts';
import type { RunMemory } from '../runs/summary/summary.ts';
import { absoluteName } from '../storage/folders.ts';
import type { UsedFile } from '../storage/target.ts';

/**
 * Where the last good run of a job is known from: the ledger, if the job keeps one, and else its summary, which the new
 * run replaces.
 *
 * @param open that ledger, if it is open
 */
export function memoryOf(job: RunJob, open?: RunLedger): RunMemory | undefined {
  const { values, backends, isMany, paths, outputAsWritten = paths.output } = job;
  const { output } = paths;
  const isKept = typeof output === 'string' && output !== '-' && (isMany || comparesLast(values));
  const ledger =
    isKept && typeof outputAsWritten === 'string'
      ? lastRunOf(outputAsWritten, output, backends, open)
      : undefined;
  const { summary } = values;
  if (summary === undefined || summary === '-') return ledger;
  return { ...ledger, read: async note => (await ledger?.read(note)) ?? lastRunInSummary(summary, job) };
}

/** Whether a run has written the output of a job; variables in its name may have had other values. */
function hasWritten({ output }: LastRun, { paths, outputAsWritten }: RunJob): boolean {
  const now = paths.output;
  if (typeof now !== 'string' || now === '-' || output === absoluteName(now)) return true;
  if (typeof outputAsWritten !== 'string') return false;
  const isFromVariable = outputAsWritten.startsWith('${');
  const parts = (isFromVariable ? outputAsWritten : absoluteName(outputAsWritten)).split(/\$\{[^}]*\}/);
  const literal = parts.map(part => part.replaceAll(/[$()*+.?[\\\]^{|}]/g, '\\$&'));
  return parts.length > 1 && new RegExp(`^${literal.join('.*')}$`, 's').test(output);
}

/** Whether a run needs more of the last one than its summary has, which may have another name every day. */
const comparesLast = ({ compare, minRows, ifSameAsLast, summary, metrics }: JobValues): boolean =>
  compare === LAST ||
  (summary === undefined && metrics !== undefined) ||
  (minRows !== undefined && 'percent' in minRows) ||
  ifSameAsLast !== 'warn';

async function lastRunInSummary(file: string, job: RunJob): Promise<LastRun | undefined> {
  // Loaded only when it is needed.
  const { readSummaryJson } = await import('../runs/summary/earlier-summary.ts');
  const last = lastRunIn(await readSummaryJson(file, job.backends).catch(() => undefined));
  // Another command may write the same file.
  return last !== undefined && hasWritten(last, job) ? last : undefined;
}

/** A run must not replace the summary with which it is compared. */
export const comparedFiles = ({ compare }: Pick<JobValues, 'compare'>): UsedFile[] =>
  compare === undefined || compare === LAST
    ? []
    : [{ at: compare, what: 'the earlier summary', option: '--compare' }];
