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
  /** The version of an input that has changed while the run waited for the rest of it. */
  let waited: Promise<FileVersion | undefined> | undefined;
  let isWaiting = false;
  return {
    waiting() {
      isWaiting = true;
    },
    opened() {
      if (isWaiting) waited = ledger.versionOf(key.input, stop).catch(() => undefined);
      isWaiting = false;
    },
    async begin() {
      read = await ledger.versionOf(key.input, stop);
    },
    async ended({ status, run_id, exit_code, started_at, rows, digest, error }) {
      if (waited !== undefined) read = await waited;
      if (status === 'finished' && read !== undefined) {
        const counts = { read: rows.read, rejected: rows.rejected };
        const facts = { run_id, exit_code: exit_code ?? 0, started_at, rows: counts };
        await ledger.add(key, { ...facts, ...(digest !== null && { digest }) }, read).catch(onFailure);
      } else if (status === 'finished' || status === 'skipped') ledger.skip(key);
      // An interrupted run is resumed by the same command.
      else if (error !== null && error.code !== 'interrupted') ledger.fail(key, error);
    },
  };
}
