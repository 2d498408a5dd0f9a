import { dirname, resolve } from 'node:path';
import type { FileVersion } from '../../storage/backend.ts';
import { RunLedger } from './run-ledger.ts';

/**
 * Tells the ledger that has the run of a repaired output, in the output's folder or in one above it: the next command
 * would otherwise score the input again, over the repair. The parameters are those of `RunLedger.addRepaired`.
 *
 * @throws RowcastError `unwritable_output`, `locked`
 */
export async function recordRepair(
  output: string,
  before: FileVersion | undefined,
  rejected: number,
): Promise<void> {
  const path = resolve(output);
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    if (await new RunLedger(folder).addRepaired(path, before, rejected)) return;
    if (folder === dirname(folder)) return;
  }
}
