/** A word of a command line, quoted for a POSIX shell if it needs quotes. */
export const shellWord = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;

/** A command of rowcast as it is typed. */
export const commandOf = (command: string, words: readonly string[]): string =>
  ['rowcast', command, ...words].map(shellWord).join(' ');
