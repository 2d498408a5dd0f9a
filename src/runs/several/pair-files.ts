import { lstatSync, type Stats, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { RowcastError } from '../../base/errors.ts';
import { schemeOf } from '../../base/scheme.ts';
import { followLinks, realFolderOf } from '../../storage/local/sibling-path.ts';
import { runFilesOf } from '../paths/run-files.ts';
import type { InputFile } from './input-files.ts';
import { fillPattern, isOutputPattern } from './output-pattern.ts';

/** One input of several, with its outputs. */
export interface FilePair {
  input: string;
  output: string;
  /** Undefined: next to the output. */
  rejects: string | undefined;
  /** The earlier outputs whose predictions are reused. */
  reuse?: string[] | undefined;
}

interface PairOptions {
  output: string;
  rejects: string | undefined;
  reuse?: string | readonly string[] | undefined;
  /** How the user names the outputs, for messages; by default with `-o`. */
  outputOption?: string | undefined;
  /** Other files that the command writes, by what they are. */
  others?: Readonly<Record<string, string | undefined>>;
}

/**
 * Names the outputs of several inputs, and checks that no file would be written twice, or read and written.
 *
 * @throws RowcastError `usage`, `same_output`, `output_is_input`
 */
export async function pairFiles(inputs: readonly InputFile[], options: PairOptions): Promise<FilePair[]> {
  const { output, rejects, reuse, outputOption = '-o' } = options;
  checkIsPattern(outputOption, output, inputs.length);
  checkIsPattern('--rejects', rejects, inputs.length);
  const pairs = inputs.map((input, index) => ({
    input: input.path,
    output: fillPattern(output, input, index + 1),
    rejects: rejects === undefined ? undefined : fillPattern(rejects, input, index + 1),
    ...(reuse !== undefined && { reuse: [reuse].flat().map(name => fillPattern(name, input, index + 1)) }),
  }));
  await checkPairs(pairs, options.others ?? {});
  return pairs;
}

/**
 * Checks that an option names a file for each input.
 *
 * @param option how the user names the files, for messages
 * @throws RowcastError `usage`
 */
export function checkIsPattern(option: string, name: string | undefined, inputs: number): void {
  if (name === undefined || inputs <= 1 || isOutputPattern(name)) return;
  const isOption = option.startsWith('-');
  const folder = name.endsWith('/') ? name : 'scored/';
  const what =
    name === '-' && option === '-o'
      ? `${inputs} inputs cannot be written to stdout`
      : `${option} must name one file for each of the ${inputs} inputs`;
  throw new RowcastError('usage', what, {
    ...(name !== '-' && { location: { file: name } }),
    hint: `Use a pattern, such as ${isOption ? `${option} ` : ''}'${folder}{name}${option === '--rejects' ? '.rejects' : '.csv'}'.`,
  });
}

/** What a path is used for: the input whose output or other file it is; undefined if it is an input itself. */
type Use = string | undefined;

/** Signals are noticed after so many files. */
const FILES_AT_ONCE = 64;

async function checkPairs(pairs: readonly FilePair[], others: PairOptions['others'] = {}): Promise<void> {
  const uses = new Map<string, Use>();
  const folders = new Map<string, Promise<string>>();
  const check = async (path: string, of: Use): Promise<string[]> => {
    const keys = await keysOf(path, folders);
    for (const key of keys)
      if (uses.has(key) && uses.get(key) !== of) throw usedTwice(uses.get(key), of, path);
    return keys;
  };
  const use = async (path: string, of: Use): Promise<void> => {
    for (const key of await check(path, of)) uses.set(key, of);
  };
  for (const { input } of pairs) await use(input, undefined);
  for (const [what, path] of Object.entries(others)) if (path !== undefined) await use(path, what);
  for (const [index, { input, output, rejects }] of pairs.entries()) {
    if (index % FILES_AT_ONCE === 0) await nextTurn();
    await use(await endOf(output), input);
    if (rejects !== undefined) await use(rejects, input);
  }
  for (const [index, pair] of pairs.entries()) {
    if (index % FILES_AT_ONCE === 0) await nextTurn();
    for (const path of await besides(pair)) {
      // The names of two outputs differ, so those of the files next to them do; only what is there may have two names.
      const [, inode] = await check(path, pair.input);
      if (inode !== undefined) uses.set(inode, pair.input);
    }
  }
}

/** Where an output is, if it is a link. */
const endOf = async (output: string): Promise<string> =>
  schemeOf(output) === undefined && statOf(output, lstatSync)?.isSymbolicLink()
    ? followLinks(output)
    : output;

/** The files next to an output while it is written, whose names are its own with a suffix. */
async function besides({ output, rejects }: FilePair): Promise<string[]> {
  if (schemeOf(output) !== undefined) return [rejects ?? `${output}.rejects`, `${output}.checkpoint`];
  const files = runFilesOf(await endOf(output), rejects);
  return [
    ...[files.partial, files.rejects, files.rejectsPartial],
    ...[files.checkpoint, files.newCheckpoint, files.lock],
  ];
}

/** A file by its name and, if it exists, by its inode, since it may have several names. */
async function keysOf(path: string, folders: Map<string, Promise<string>>): Promise<string[]> {
  if (schemeOf(path) !== undefined) return [path];
  const folder = dirname(path);
  const real = folders.get(folder) ?? realFolderOf(folder);
  folders.set(folder, real);
  const found = statOf(path);
  const name = join(await real, basename(path));
  return found === undefined || !found.isFile() ? [name] : [name, `${found.dev}:${found.ino}`];
}

/**
 * Synchronously: most are not there, and an error for each, of many thousands, takes ten times as long, and much
 * memory.
 */
function statOf(path: string, stat = statSync): Stats | undefined {
  try {
    return stat(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** @param path what both use */
function usedTwice(a: Use, b: Use, path: string): RowcastError {
  if (a === undefined || b === undefined) {
    const writer = a ?? b ?? '';
    return new RowcastError(
      'output_is_input',
      `${path} is one of the inputs, and would be written for ${writer}`,
      {
        location: { file: path },
        hint: 'Write to another folder, or narrow the pattern of the inputs.',
      },
    );
  }
  return new RowcastError('same_output', `${a} and ${b} would write the same file`, {
    location: { file: path },
    hint: 'Add {dir} or {index} to the pattern of the outputs, such as scored/{dir}/{name}.csv.',
  });
}
