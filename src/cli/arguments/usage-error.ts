import { RowcastError } from '../../base/errors.ts';

/** @param command the command whose help to look at, if it is known */
export function usageError(message: string, command?: { name: string }): RowcastError {
  return new RowcastError('usage', message, {
    hint:
      command === undefined
        ? 'rowcast --help lists the commands; rowcast COMMAND --help lists the options of one.'
        : `rowcast ${command.name} -h shows how to use it.`,
  });
}

/** The error for an option that names a variable with a secret, if the variable is not one for that option. */
export const wrongVariable = (option: string, name: string, example: string): RowcastError =>
  new RowcastError('usage', `--${option}: ${name} is not the name of a variable for it`, {
    hint: `Give a name that begins with ROWCAST_, in capitals, such as ${example}.`,
  });

/** The similar names as a sentence to add to a message, if there are any: `. Did you mean score?` */
export async function didYouMean(
  word: string,
  names: readonly string[],
  wrongShare?: number,
): Promise<string> {
  const { suggestNames } = await import('../../base/suggest-names.ts');
  return questionOf(suggestNames(word, names, wrongShare));
}

/** What to use in place of an unknown option, as the end of a message. @param spelling as typed */
export async function insteadOfOption(spelling: string, names: readonly string[]): Promise<string> {
  const { suggestFlags } = await import('../../base/other-words.ts');
  const found = suggestFlags(spelling.replace(/^-+/, ''), names);
  return typeof found === 'string' ? `; ${found}` : questionOf(found);
}

/** Names as a sentence to add to a message, if there are any. */
export const questionOf = (near: readonly string[]): string =>
  near.length === 0 ? '' : `. Did you mean ${near.join(' or ')}?`;
