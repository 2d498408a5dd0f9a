/**
 * A word of a command line, quoted for a POSIX shell if it needs quotes; without control characters, which a terminal
 * would interpret.
 */
export function shellWord(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  if (!/\p{Cc}/u.test(word)) return `'${word.replaceAll("'", "'\\''")}'`;
  // $'…' is not known to every sh. A line ending at the end is lost in $(…), so it has quotes of its own.
  const [, text = '', ending = ''] = /^(.*?)(\n*)$/s.exec(word) ?? [];
  const format = text
    .replaceAll('\\', '\\\\')
    .replaceAll('%', '%%')
    .replaceAll(/\p{Cc}/gu, escapeOf);
  return `"$(printf ${shellWord(format)})"${ending === '' ? '' : `'${ending}'`}`;
}

const escapeOf = (character: string): string =>
  [...Buffer.from(character)].map(byte => `\\${byte.toString(8).padStart(3, '0')}`).join('');

/** A command of rowcast as it is typed. */
export const commandOf = (command: string, words: readonly string[]): string =>
  ['rowcast', command, ...words].map(shellWord).join(' ');
