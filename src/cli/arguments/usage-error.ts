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

/** The similar names as a sentence to add to a message, if there are any: `. Did you mean --report?` */
export async function didYouMean(
  word: string,
  names: readonly string[],
  { prefix = '', wrongShare }: { prefix?: string; wrongShare?: number } = {},
): Promise<string> {
  const { suggestNames } = await import('../../base/suggest-names.ts');
  return questionOf(suggestNames(word, names, wrongShare).map(name => prefix + name));
}

/** Names as a sentence to add to a message, if there are any. */
export const questionOf = (names: readonly string[]): string =>
  names.length === 0 ? '' : `. Did you mean ${names.join(' or ')}?`;
