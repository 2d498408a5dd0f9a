import { reasonOf } from '../../base/system-error.ts';
import { type Backends, backends, documentAt } from '../../storage/backends.ts';
import { absoluteName, fileIn, fixedFolderOf, nameFrom } from '../../storage/folders.ts';
import type { LastRun } from '../summary/last-run.ts';
import { lastRunShape } from '../summary/last-run.ts';
import type { RunMemory } from '../summary/summary.ts';
import { LEDGER } from './ledger-file.ts';
import { RunLedger } from './run-ledger.ts';

/** What changes from night to night in the name of an output: `${ROWCAST_DAY}`, and what the inputs decide. */
const CHANGING = /\$\{|\{\w*\}/;

/**
 * The last good run of an output, in the ledger of the folder that all outputs of its command have in common.
 *
 * @param written the output as the command or the definition has written it: `scored/${ROWCAST_DAY}/{name}.csv`
 * @param output the same with the values of variables
 * @param open the ledger that the command writes anyway: if it is the same file, its thousands of entries are not read
 *   again
 */
export function lastRunOf(
  written: string,
  output: string,
  among: Backends = backends,
  open?: RunLedger,
): Required<RunMemory> {
  const own = fixedFolderOf(output, CHANGING);
  const common = fixedFolderOf(written, CHANGING);
  // A variable may also be what the name begins with, such as a bucket.
  const folder = isBelow(common, own) ? common : own;
  const path = fileIn(folder, LEDGER);
  const name = nameFrom(folder, written);
  const document = documentAt(path, among);
  const isOpen = open !== undefined && absoluteName(open.path) === absoluteName(path);
  return {
    async read(note) {
      try {
        const bytes = await document.read();
        if (bytes === undefined) return undefined;
        const { last } = JSON.parse(bytes.toString());
        return lastRunShape.safeParse(last?.[name]).data;
      } catch (error) {
        // A command that keeps it open says so itself.
        if (!isOpen)
          note?.({
            code: 'ledger_unreadable',
            message: `${path}: the record of finished runs cannot be read (${reasonOf(error)}), so the last good run is not known; it is written anew`,
          });
        return undefined;
      }
    },
    async write(run: LastRun) {
      await (open !== undefined && isOpen ? open : new RunLedger(folder, among)).addLast(name, run);
    },
  };
}

function isBelow(folder: string, other: string): boolean {
  const [above, below] = [absoluteName(folder), absoluteName(other)];
  return above === below || below.startsWith(`${above}/`);
}
