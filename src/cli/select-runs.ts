import { RowcastError } from '../base/errors.ts';
import type { Options } from '../base/options/option.ts';
import { shardOptions } from '../base/options/shards.ts';
import { storeAccess } from '../base/options/store.ts';
import { resolveValues, type Values } from '../base/options/values/resolve-options.ts';
import { findShards } from '../library/shards/find-folder.ts';
import type { UnfinishedRun } from '../runs/several/ledger-file.ts';
import { isOutputPattern } from '../runs/several/output-pattern.ts';
import { type FoundRuns, findRuns, findRunsLike, foundIn, lostRejectsOf } from '../runs/status/find-runs.ts';
import { type Backends, isPattern } from '../storage/backends.ts';
import { isLocalFolder } from '../storage/folders.ts';
import { usageError } from './arguments/usage-error.ts';
import type { Context } from './context.ts';
import { definedBy } from './defined-by.ts';
import { fileOptions, filesOfRuns } from './finished-files.ts';

/** What a command is to look at: a single output or folder of shards, or runs that were named together. */
export type SelectedRuns =
  | { single: string }
  | {
      single: undefined;
      /** What the user calls them. */
      title: string;
      runs: FoundRuns;
      /** Outputs that were named one by one, so that each has to be there. */
      named: readonly string[];
      /** By output, the input of one that a definition is to write, whether or not a run was begun. */
      planned: ReadonlyMap<string, UnfinishedRun>;
    };

const options = { ...fileOptions, shards: shardOptions.shards, ...storeAccess } as const satisfies Options;

/** A command that looks at runs, with its definition, and the options of stores. @throws RowcastError as `definedBy` */
export async function definedRuns(
  given: Context,
): Promise<{ context: Context; stores: Values<typeof storeAccess> }> {
  const context = await definedBy(given, given.flags.output === undefined ? options : storeAccess);
  return { context, stores: resolveValues(storeAccess, context.flags, context.defined) };
}

/**
 * The runs that a command names as arguments, or by a definition.
 *
 * @param command its name
 * @throws RowcastError `usage`; as `filesOfRuns` and `findRuns`
 */
export async function selectRuns(command: string, context: Context, among: Backends): Promise<SelectedRuns> {
  const { output, definition, ...flags } = context.flags;
  const names = [output ?? []].flat().map(String);
  const [first] = names;
  if (first === undefined) {
    if (definition === undefined) throw usageError('missing argument: OUTPUT', { name: command });
    const { shards } = context.defined;
    if (typeof shards === 'string') return { single: shards };
    return runsOfDefinition({ ...context, flags }, String(definition), among);
  }
  const found: FoundRuns[] = [];
  const named: string[] = [];
  for (const name of names) {
    if (isOutputPattern(name) || (await isPattern(name, among))) found.push(await findRunsLike(name, among));
    else if (
      names.length === 1 &&
      (!(await isLocalFolder(name)) || (await findShards(name, among)) !== undefined)
    )
      return { single: name };
    else if (await isLocalFolder(name)) found.push(await findRuns(name));
    else {
      named.push(name);
      found.push(await runOf(name));
    }
  }
  return { single: undefined, title: names.join(', '), runs: joined(found), named, planned: new Map() };
}

async function runOf(output: string): Promise<FoundRuns> {
  const lost = await lostRejectsOf(output);
  const lostRejects = new Map(lost === undefined ? [] : [[output, lost]]);
  return { outputs: [output], unfinished: new Map(), lostRejects, unrecorded: new Set([output]) };
}

const joined = (found: readonly FoundRuns[]): FoundRuns => ({
  outputs: [...new Set(found.flatMap(({ outputs }) => outputs))].sort(),
  unfinished: new Map(found.flatMap(({ unfinished }) => [...unfinished])),
  lostRejects: new Map(found.flatMap(({ lostRejects }) => [...lostRejects])),
  refused: new Map(found.flatMap(({ refused = [] }) => [...refused])),
  unrecorded: new Set(found.flatMap(({ unrecorded = [] }) => [...unrecorded])),
});

async function runsOfDefinition(context: Context, title: string, among: Backends): Promise<SelectedRuns> {
  const { defined } = context;
  const files = await filesOfRuns(context).catch((error: unknown) => {
    // The inputs may have been moved away after they were scored.
    const isGone = error instanceof RowcastError && error.code === 'no_such_file';
    if (isGone && isOutputPattern(String(defined.output))) return undefined;
    throw error;
  });
  if (files === undefined) {
    const runs = await findRunsLike(String(defined.output), among);
    return { single: undefined, title, runs, named: [], planned: new Map() };
  }
  const { pairs, areMany, ledger } = files;
  const [only] = pairs;
  if (!areMany && only !== undefined) return { single: only.output };
  await ledger?.read();
  const planned = new Map(pairs.map(({ input, output }) => [output, { input, error: null, since: 0 }]));
  const outputs = new Set(planned.keys());
  const isMeant = (output: string): boolean => outputs.has(output);
  const runs: FoundRuns =
    ledger === undefined
      ? { outputs: [...outputs], unfinished: new Map(), lostRejects: new Map() }
      : await foundIn(ledger, outputs, isMeant);
  return { single: undefined, title, runs, named: [], planned };
}
