import type { FileVersion } from '../../storage/backend.ts';
import type { RunObserver } from '../observer.ts';
import type { LedgerKey, RunLedger } from '../several/run-ledger.ts';

/**
 * Records in the ledger of a folder how the run of one of its outputs has ended.
 *
 * @param onFailure called if the ledger cannot be written; the next command then scores the file again
 * @param stop ends waiting for the input
 */
export function ledgerEntry(
  ledger: RunLedger,
  key: LedgerKey,
  onFailure: (error: Error) => void,
  stop?: AbortSignal,
): RunObserver {
  let read: FileVersion | undefined;
  return {
    async begin() {
      read = await ledger.versionOf(key.input, stop);
    },
    async ended({ status, run_id, exit_code, rows, error }) {
      if (status === 'finished' && read !== undefined) {
        const counts = { read: rows.read, rejected: rows.rejected };
        await ledger.add(key, { run_id, exit_code: exit_code ?? 0, rows: counts }, read).catch(onFailure);
      } else if (status === 'finished' || status === 'skipped') ledger.skip(key);
      // An interrupted run is resumed by the same command.
      else if (error !== null && error.code !== 'interrupted') ledger.fail(key, error);
    },
  };
}
