import { readdir } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { readLock } from '../storage/local/locks/lock-holder.ts';
import { RunLedger } from './files/run-ledger.ts';

/**
 * Finds the outputs in a folder that runs are writing or have left unfinished, and those that its ledger has as finished.
 *
 * @returns their paths, sorted
 */
export async function findRuns(folder: string): Promise<string[]> {
  const outputs = new Set<string>();
  for (const name of await readdir(folder, { recursive: true })) {
    const [, output, kind] = /^(.*)\.(checkpoint|partial|lock)$/.exec(name) ?? [];
    if (output === undefined || /\.rejects$/.test(output)) continue;
    // Other files are locked too, and a long name is cut.
    if (kind !== 'lock') outputs.add(join(folder, output));
    else {
      const held = await readLock(join(folder, name));
      // It is absolute, wherever the command runs.
      if (held?.output !== undefined) outputs.add(join(folder, relative(resolve(folder), held.output)));
    }
  }
  const ledger = new RunLedger(folder);
  await ledger.read();
  for (const output of ledger.outputs) outputs.add(output);
  return [...outputs].sort();
}
