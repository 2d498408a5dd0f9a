import { Interrupted } from '../../base/interrupted.ts';
import type { RunValues } from '../../base/options/values/run-values.ts';
import { type Backends, openSource } from '../../storage/backends.ts';
import { finishKilledRepair } from '../finish-repair.ts';
import { digestToBe } from '../guards/same-as-last.ts';
import type { LastRun } from '../summary/last-run.ts';
import type { FinishedRun } from './ledger-file.ts';
import type { LedgerKey, RunLedger } from './run-ledger.ts';

/** How an input is read that may have been delivered again. */
interface ReadAgain {
  encoding: RunValues['encoding'];
  backends: Backends;
  stop: AbortSignal;
  /** Digests of inputs that are refused when they are delivered again. */
  refused?: readonly string[] | undefined;
}

/**
 * The run that finished this work, unless input, output or rejects have changed since. A repair of the output that was
 * killed is finished first. An input with another time is read, if its size is the same, and has not changed if its
 * bytes have not.
 *
 * @returns also whether the input was delivered again
 * @throws RowcastError as `finishKilledRepair`; `bad_ledger`
 * @throws Interrupted
 */
export async function unchangedRun(
  ledger: RunLedger,
  key: LedgerKey,
  { encoding, backends, stop, refused = [] }: ReadAgain,
): Promise<{ run: FinishedRun; isAgain: boolean } | undefined> {
  // Finishing the repair has told the ledger about the output that is there now.
  if (await finishKilledRepair(key.output)) await ledger.read();
  const unchanged = await ledger.unchanged(key);
  if (unchanged !== undefined) return { run: unchanged, isAgain: false };
  const { run, read } = (await ledger.ofSameSize(key)) ?? {};
  if (run?.digest === undefined || read === undefined || refused.includes(run.digest)) return undefined;
  const digest = await digestNow({ input: key.input, encoding }, backends, stop);
  if (digest !== run.digest) return undefined;
  ledger.deliveredAgain(key, run, read);
  return { run, isAgain: true };
}

/** @returns undefined if the input cannot be read: its run says why */
async function digestNow(
  options: Pick<RunValues, 'input' | 'encoding'>,
  backends: Backends,
  stop: AbortSignal,
): Promise<string | undefined> {
  try {
    const source = await openSource(options.input, false, options.encoding, backends, stop);
    try {
      return await digestToBe(options, await source.identify(), backends, stop);
    } finally {
      source.close();
    }
  } catch (error) {
    if (error instanceof Interrupted) throw error;
    return undefined;
  }
}

/** A run of a ledger as the last good one of its output. */
export const lastRunOfFile = (
  { run_id, exit_code, started_at, finished_at, rows: { read, rejected }, digest }: FinishedRun,
  { input, output, report }: Pick<LastRun, 'input' | 'output' | 'report'>,
): LastRun => ({
  input,
  output,
  report,
  run_id,
  exit_code,
  started_at: started_at ?? null,
  finished_at,
  rows: { read, scored: read - rejected, rejected },
  columns: null,
  scores: null,
  labels: null,
  digests: digest === undefined || read === 0 ? [] : [digest],
});
