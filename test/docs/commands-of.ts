import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../support/root.ts';

/** A block of a page, in the order in which a reader meets it. */
export type Block =
  /** A file that begins with its name as a comment. */
  | { kind: 'file'; name: string; text: string }
  /** Commands, all of which must succeed. */
  | { kind: 'script'; text: string }
  /** Commands of a terminal session, with what each of them prints. */
  | { kind: 'session'; commands: readonly { command: string; printed: string }[] };

/** Fenced blocks with the line before them, and indented ones. */
const BLOCK = /^(.*)\n+```(\w*)( install)?\n([\s\S]*?)^```$|(?<=\n\n)((?: {4}.*\n)+)/gm;
/** A comment before a block says why a test does not run it: `<!-- not run: needs a queue -->`. */
const NOT_RUN = /^<!-- not run: .* -->$/;
const COMMAND = /^(?:\w+=\S+ )*(?:rowcast|curl|export|KEY=\S*) /m;

/** What a reader of a page does: files to write, and commands to run. */
export function blocksOf(page: string): Block[] {
  const text = readFileSync(join(root, page), 'utf8');
  return [...text.matchAll(BLOCK)].flatMap(
    ([, before = '', language, install, fenced, indented]): Block[] => {
      if (NOT_RUN.test(before) || install !== undefined) return [];
      const body = fenced ?? indented?.replaceAll(/^ {4}/gm, '') ?? '';
      const [, name] = /^# (\S+\.\w+)\n/.exec(body) ?? [];
      if (name !== undefined && ['sh', 'yaml'].includes(language ?? ''))
        return [{ kind: 'file', name, text: body }];
      if (/^\$ /m.test(body) && language !== 'text') return [{ kind: 'session', commands: sessionOf(body) }];
      const isScript = language === 'sh' || (language === undefined && COMMAND.test(body));
      return isScript ? [{ kind: 'script', text: body }] : [];
    },
  );
}

const sessionOf = (text: string) =>
  [...text.matchAll(/^\$ (.*)\n([\s\S]*?)(?=^\$ |(?![\s\S]))/gm)].map(([, command = '', printed = '']) => ({
    command,
    printed,
  }));
