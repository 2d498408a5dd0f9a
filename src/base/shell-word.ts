/** Control characters, which a terminal would interpret. */
const CONTROL = /\p{Cc}/gu;

/** A word of a command line, quoted for a POSIX shell (Issue 8) if it needs quotes. */
export function shellWord(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  if (!/\p{Cc}/u.test(word)) return `'${word.replaceAll("'", "'\\''")}'`;
  const escaped = word.replaceAll(/[\\']/g, '\\$&');
  return `$'${escaped.replaceAll(CONTROL, escapeOf)}'`;
}

function escapeOf(character: string): string {
  const code = character.charCodeAt(0);
  return code < 0x80 ? `\\${code.toString(8).padStart(3, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`;
}

/** A command of rowcast as it is typed. */
export const commandOf = (command: string, words: readonly string[]): string =>
  ['rowcast', command, ...words].map(shellWord).join(' ');
