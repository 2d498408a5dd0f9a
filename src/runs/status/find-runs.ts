import { readdir } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { type Backends, namesMatching } from '../../storage/backends.ts';
import { fixedFolderOf } from '../../storage/folders.ts';
import { readLock } from '../../storage/local/locks/lock-holder.ts';
import { LEDGER, type RefusedTotal, type UnfinishedRun } from '../several/ledger-file.ts';
import { folderOfPattern, globOfPattern, isOutputPattern, likePattern } from '../several/output-pattern.ts';
import { RunLedger } from '../several/run-ledger.ts';

/** What is known of the runs whose outputs are in a folder. */
export interface FoundRuns {
  /** The outputs that runs are writing, have left unfinished, have finished or were to write; sorted. */
  outputs: string[];
  /** By output, those that a command was to write and has not. */
  unfinished: ReadonlyMap<string, UnfinishedRun>;
  /** By finished output, its rejects file if that is gone. */
  lostRejects: ReadonlyMap<string, string>;
  /** By pattern of outputs that are together no good run, why. */
  refused?: ReadonlyMap<string, RefusedTotal>;
  /** Outputs of which only the name is known, so that other programs may have written them. */
  unrecorded?: ReadonlySet<string>;
}

/**
 * Finds the runs of a folder and those below it, by the files that they leave and by the ledgers there.
 *
 * @throws RowcastError `bad_ledger`
 */
export async function findRuns(folder: string): Promise<FoundRuns> {
  const outputs = new Set<string>();
  const unfinished = new Map<string, UnfinishedRun>();
  const lostRejects = new Map<string, string>();
  const refused = new Map<string, RefusedTotal>();
  for (const name of await readdir(folder, { recursive: true })) {
    if (basename(name) === LEDGER) {
      const ledger = new RunLedger(join(folder, dirname(name)));
      await ledger.read();
      const known = await foundIn(ledger, new Set(), () => true);
      for (const output of known.outputs) outputs.add(output);
      for (const [output, lost] of known.lostRejects) lostRejects.set(output, lost);
      for (const [output, run] of known.unfinished) unfinished.set(output, run);
      for (const [pattern, total] of known.refused ?? []) refused.set(pattern, total);
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
  return { outputs: [...outputs].sort(), unfinished, lostRejects, refused };
}

/** What the names of files next to an output end with. */
const BESIDE = /\.(rejects|repaired|checkpoint|partial|lock|shards|new|old)$/;

/**
 * Finds the runs whose outputs have names like a pattern: of files, `scored/2*.csv`, or as `-o` has it,
 * `scored/{name}.csv`. Of the latter, those that were to be written are known by the ledger too.
 *
 * @throws RowcastError `bad_ledger`
 */
export async function findRunsLike(pattern: string, among?: Backends): Promise<FoundRuns> {
  const isOfOutputs = isOutputPattern(pattern);
  const files = isOfOutputs ? globOfPattern(pattern) : pattern;
  const outputs = new Set<string>();
  for (const ending of ['', '.checkpoint', '.partial'])
    for (const name of await namesMatching(files + ending, among)) {
      const output = name.slice(0, name.length - ending.length);
      if (!BESIDE.test(output)) outputs.add(output);
    }
  const ledger = new RunLedger(isOfOutputs ? folderOfPattern(pattern) : fixedFolderOf(pattern), among);
  await ledger.read();
  const isLike = isOfOutputs ? likePattern(pattern) : (output: string) => outputs.has(output);
  const recorded = new Set(ledger.outputs);
  const unrecorded = new Set([...outputs].filter(output => !recorded.has(output)));
  return { ...(await foundIn(ledger, outputs, isLike)), unrecorded };
}

/**
 * The runs of outputs that are known, with what their ledger knows of them.
 *
 * @param isMeant whether an output of the ledger is one of them too
 */
export async function foundIn(
  ledger: RunLedger,
  known: ReadonlySet<string>,
  isMeant: (output: string) => boolean,
): Promise<FoundRuns> {
  const outputs = new Set(known);
  const lostRejects = new Map<string, string>();
  for (const output of ledger.outputs.filter(isMeant)) {
    outputs.add(output);
    const lost = await ledger.lostRejects(output);
    if (lost !== undefined) lostRejects.set(output, lost);
  }
  const unfinished = new Map([...(await ledger.unfinished())].filter(([output]) => isMeant(output)));
  for (const output of unfinished.keys()) outputs.add(output);
  const all = [...outputs].sort();
  const refused = new Map([...ledger.refused].filter(([pattern]) => all.some(likePattern(pattern))));
  return { outputs: all, unfinished, lostRejects, refused };
}

/** The rejects file of a finished output, if it is gone, by the ledgers in the output's folder and those above it. */
export async function lostRejectsOf(output: string): Promise<string | undefined> {
  const path = resolve(output);
  for await (const ledger of ledgersAbove(path)) {
    const lost = await ledger.lostRejects(path);
    if (lost !== undefined) return join(dirname(output), relative(dirname(path), lost));
  }
  return undefined;
}

/** Whether a ledger in the output's folder, or in those above it, has it as finished. @param output a local path */
export async function isInLedger(output: string): Promise<boolean> {
  const path = resolve(output);
  for await (const ledger of ledgersAbove(path)) if (ledger.outputs.includes(path)) return true;
  return false;
}

/** The ledgers that may have an output. @param path absolute */
async function* ledgersAbove(path: string): AsyncGenerator<RunLedger> {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    const ledger = new RunLedger(folder);
    // A ledger that cannot be read makes all files be scored again, and that command says so.
    await ledger.read().catch(() => {});
    yield ledger;
    if (folder === dirname(folder)) return;
  }
}
