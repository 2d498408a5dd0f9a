import { finishKilledRepair } from '../finish-repair.ts';
import type { LastRun } from '../summary/last-run.ts';
import type { FinishedRun } from './ledger-file.ts';
import type { LedgerKey, RunLedger } from './run-ledger.ts';

/**
 * The run that finished this work, unless input, output or rejects have changed since. A repair of the output that was
 * killed is finished first.
 *
 * @throws RowcastError as `finishKilledRepair`; `bad_ledger`
 */
export async function unchangedRun(ledger: RunLedger, key: LedgerKey): Promise<FinishedRun | undefined> {
  // Finishing the repair has told the ledger about the output that is there now.
  if (await finishKilledRepair(key.output)) await ledger.read();
  return ledger.unchanged(key);
}

/** A run of a ledger as the last good one of its output. */
export const lastRunOfFile = (
  { run_id, exit_code, started_at, finished_at, rows: { read, rejected }, digest }: FinishedRun,
  names: Pick<LastRun, 'input' | 'output' | 'report'>,
): LastRun => ({
  ...names,
  run_id,
  exit_code,
  started_at: started_at ?? null,
  finished_at,
  rows: { read, scored: read - rejected, rejected },
  columns: null,
  scores: null,
  digests: digest === undefined || read === 0 ? [] : [digest],
});
