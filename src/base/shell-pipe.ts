import { schemeOf } from './scheme.ts';
import { shellWord } from './shell-word.ts';

/** A file that commands read. */
export interface PipedFile {
  /** A path, a URL, or `stdin`. */
  readonly name: string;
  /** The commands of a pipe that make plain text in UTF-8 of it; empty if it is that. */
  readonly decodedBy?: readonly string[] | undefined;
}

/** By scheme, the command of a store that prints an object to stdout. */
const PRINT: Readonly<Record<string, (url: string) => string>> = {
  s3: url => `aws s3 cp ${shellWord(url)} -`,
  gs: url => `gcloud storage cat ${shellWord(url)}`,
  az(url) {
    const [, container = '', key = ''] = /^az:\/\/([^/]*)\/(.*)$/is.exec(url) ?? [];
    return `az storage blob download --only-show-errors -c ${shellWord(container)} -n ${shellWord(key)}`;
  },
  http: url => `curl -fsSL ${shellWord(url)}`,
  https: url => `curl -fsSL ${shellWord(url)}`,
};

/** Whether a program can be given the name, or `<` can. */
export const isPath = (name: string): boolean => name !== 'stdin' && schemeOf(name) === undefined;

/** The path of a file as an argument of any program, none of which takes it for an option. */
export const pathWord = (path: string): string => shellWord(path.startsWith('-') ? `./${path}` : path);

/**
 * A pipe through which a file goes. The first command reads it from stdin: some programs refuse names whose suffix is
 * not theirs. What writes to stdin, or prints an object of a store without such a command, is left as `…`.
 *
 * @param commands each reads stdin
 */
export function pipeOf(name: string, [first = '', ...others]: readonly string[]): string {
  if (isPath(name)) return [`${first} < ${shellWord(name)}`, ...others].join(' | ');
  return [PRINT[schemeOf(name)?.toLowerCase() ?? '']?.(name) ?? '…', first, ...others].join(' | ');
}

/** What to do about a damaged file. @param command that checks stdin */
export const checkHint = (name: string, command: string): string =>
  `Transfer it again; to check it: ${pipeOf(name, [command])}`;

/**
 * The sentence that tells how to correct a text on its way.
 *
 * @param filter the commands that read the text one after the other, and write it corrected
 */
export const filteredBy = ({ name, decodedBy = [] }: PipedFile, ...filter: readonly string[]): string =>
  `Correct it in a pipe, ${asInput(decodedBy)}: ${pipeOf(name, [...decodedBy, ...filter])} | rowcast …`;

/** How the end of a pipe is read: what `iconv` has converted has another encoding than the file. */
export const asInput = (decodedBy: readonly string[] = []): string =>
  `with - as the input${decodedBy.some(command => command.startsWith('iconv ')) ? ' and without --encoding' : ''}`;
