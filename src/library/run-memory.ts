import { LAST } from '../base/options/drift.ts';
import type { JobValues } from '../base/options/values/run-values.ts';
import { reasonOf } from '../base/system-error.ts';
import type { RunJob } from '../runs/run.ts';
import { LEDGER } from '../runs/several/ledger-file.ts';
import { RunLedger } from '../runs/several/run-ledger.ts';
import { lastRunIn } from '../runs/summary/good-run.ts';
import { type LastRun, lastRunShape } from '../runs/summary/last-run.ts';
import type { RunMemory } from '../runs/summary/summary.ts';
import { type Backends, backends, documentAt } from '../storage/backends.ts';
import { absoluteName, fileIn, fixedFolderOf, nameFrom } from '../storage/folders.ts';
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
