import { schemeOf } from '../base/scheme.ts';
import { shellWord } from '../base/shell-word.ts';

/** What prints a compressed file as text, by its suffix. */
const DECOMPRESSED: readonly (readonly [suffix: RegExp, command: string])[] = [
  [/\.gz$/i, 'gzip -dc'],
  [/\.zst$/i, 'zstd -dc'],
];

/**
 * The sentence that tells how to correct a text on its way.
 *
 * @param file its name, or `stdin`
 * @param filter the command that reads the text, and writes it corrected
 */
export function filteredBy(file: string, filter: string): string {
  const decompress = DECOMPRESSED.find(([suffix]) => suffix.test(file))?.[1];
  const before = printed(file, decompress);
  const [first = '', ...others] = filter.split(' | ');
  // The first command of a pipe reads the file.
  const reading = before.length === 0 && file !== 'stdin' ? `${first} < ${shellWord(file)}` : first;
  return `Correct it in a pipe, with - as the input: ${[...before, reading, ...others].join(' | ')} | rowcast …`;
}

function printed(file: string, decompress: string | undefined): string[] {
  const isUrl = schemeOf(file) !== undefined;
  if (!isUrl) return decompress === undefined || file === 'stdin' ? [] : [`${decompress} ${shellWord(file)}`];
  const print = printCommand(file);
  return [...(print === undefined ? [] : [print]), ...(decompress === undefined ? [] : [decompress])];
}

/** By scheme, the command of a store that prints an object to stdout. */
const COMMANDS: Readonly<Record<string, (url: string) => string>> = {
  s3: url => `aws s3 cp ${shellWord(url)} -`,
  gs: url => `gcloud storage cat ${shellWord(url)}`,
  az(url) {
    const [, container = '', key = ''] = /^az:\/\/([^/]*)\/(.*)$/is.exec(url) ?? [];
    return `az storage blob download --only-show-errors -c ${shellWord(container)} -n ${shellWord(key)}`;
  },
  http: url => `curl -fsSL ${shellWord(url)}`,
  https: url => `curl -fsSL ${shellWord(url)}`,
};

/** The command that prints what a URL names; undefined for a path, and for a store without such a command. */
export const printCommand = (name: string): string | undefined =>
  COMMANDS[schemeOf(name)?.toLowerCase() ?? '']?.(name);
