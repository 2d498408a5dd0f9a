import { finishKilledRepair } from '../finish-repair.ts';
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
