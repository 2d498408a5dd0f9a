import { readdir } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { readLock } from '../../storage/local/locks/lock-holder.ts';
import { LEDGER, type UnfinishedRun } from '../several/ledger-file.ts';
import { RunLedger } from '../several/run-ledger.ts';

/** What is known of the runs whose outputs are in a folder. */
export interface FoundRuns {
  /** The outputs that runs are writing, have left unfinished, have finished or were to write; sorted. */
  outputs: string[];
  /** By output, those that a command was to write and has not. */
  unfinished: ReadonlyMap<string, UnfinishedRun>;
}

/**
 * Finds the runs of a folder and those below it, by the files that they leave and by the ledgers there.
 *
 * @throws RowcastError `bad_ledger`
 */
export async function findRuns(folder: string): Promise<FoundRuns> {
  const outputs = new Set<string>();
  const unfinished = new Map<string, UnfinishedRun>();
  for (const name of await readdir(folder, { recursive: true })) {
    if (basename(name) === LEDGER) {
      const ledger = new RunLedger(join(folder, dirname(name)));
      await ledger.read();
      for (const output of ledger.outputs) outputs.add(output);
      for (const [output, run] of await ledger.unfinished()) unfinished.set(output, run);
    }
    const [, output, kind] = /^(.*)\.(checkpoint|partial|lock)$/.exec(name) ?? [];
    if (output === undefined || /\.(rejects|repaired)$/.test(output)) continue;
    // Other files are locked too, and a long name is cut.
    if (kind !== 'lock') outputs.add(join(folder, output));
    else {
      const held = await readLock(join(folder, name));
      // It is absolute, wherever the command runs.
      if (held?.output !== undefined) outputs.add(join(folder, relative(resolve(folder), held.output)));
    }
  }
  for (const output of unfinished.keys()) outputs.add(output);
  return { outputs: [...outputs].sort(), unfinished };
}
