import { stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { RowcastError } from '../../base/errors.ts';
import { schemeOf } from '../../base/scheme.ts';
import { placeOf } from '../../storage/local/folder-place.ts';
import { followLinks } from '../../storage/local/follow-links.ts';
import { runFilesOf } from '../paths/run-files.ts';
import type { InputFile } from './input-files.ts';
import { fillPattern, isOutputPattern } from './output-pattern.ts';

/** One input of several, with its outputs. */
export interface FilePair {
  input: string;
  output: string;
  /** Undefined: next to the output. */
  rejects: string | undefined;
}

export interface PairOptions {
  output: string;
  rejects: string | undefined;
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
  const { output, rejects, outputOption = '-o' } = options;
  checkIsPattern(outputOption, output, inputs.length);
  checkIsPattern('--rejects', rejects, inputs.length);
  const pairs = inputs.map((input, index) => ({
    input: input.path,
    output: fillPattern(output, input, index + 1),
    rejects: rejects === undefined ? undefined : fillPattern(rejects, input, index + 1),
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
  throw new RowcastError('usage', `${option} must name one file for each of the ${inputs} inputs`, {
    location: { file: name === '-' ? 'stdout' : name },
    hint: `Use a pattern, such as ${isOption ? `${option} ` : ''}'${folder}{name}${option === '--rejects' ? '.rejects' : '.csv'}'.`,
  });
}

/** What a path is used for. */
interface Use {
  path: string;
  /** The input whose output or other file it is; undefined if it is an input itself. */
  of: string | undefined;
}

async function checkPairs(pairs: readonly FilePair[], others: PairOptions['others'] = {}): Promise<void> {
  const uses = new Map<string, Use>();
  const folders = new Map<string, Promise<string>>();
  const use = async (path: string, of: string | undefined): Promise<void> => {
    for (const key of await keysOf(path, folders)) {
      const other = uses.get(key);
      if (other !== undefined && other.of !== of) throw usedTwice(other, { path, of });
      uses.set(key, { path, of });
    }
  };
  for (const { input } of pairs) await use(input, undefined);
  for (const [what, path] of Object.entries(others)) if (path !== undefined) await use(path, what);
  for (const { input, output, rejects } of pairs) {
    if (schemeOf(output) !== undefined) {
      for (const path of [output, rejects ?? `${output}.rejects`, `${output}.checkpoint`])
        await use(path, input);
      continue;
    }
    const files = runFilesOf(await followLinks(output), rejects);
    for (const path of [files.output, files.partial, files.rejects, files.rejectsPartial])
      await use(path, input);
    for (const path of [files.checkpoint, files.newCheckpoint, files.lock]) await use(path, input);
  }
}

/** A file by its name and, if it exists, by its inode, since it may have several names. */
async function keysOf(path: string, folders: Map<string, Promise<string>>): Promise<string[]> {
  if (schemeOf(path) !== undefined) return [path];
  const folder = dirname(path);
  const place = folders.get(folder) ?? placeOf(folder);
  folders.set(folder, place);
  const found = await stat(path).catch(() => undefined);
  const name = join(await place, basename(path));
  return found === undefined || !found.isFile() ? [name] : [name, `${found.dev}:${found.ino}`];
}

function usedTwice(a: Use, b: Use): RowcastError {
  if (a.of === undefined || b.of === undefined) {
    const writer = a.of ?? b.of ?? '';
    return new RowcastError(
      'output_is_input',
      `${b.path} is one of the inputs, and would be written for ${writer}`,
      {
        location: { file: b.path },
        hint: 'Write to another folder, or narrow the pattern of the inputs.',
      },
    );
  }
  return new RowcastError('same_output', `${a.of} and ${b.of} would write the same file`, {
    location: { file: b.path },
    hint: 'Add {dir} or {index} to the pattern of the outputs, such as scored/{dir}/{name}.csv.',
  });
}
