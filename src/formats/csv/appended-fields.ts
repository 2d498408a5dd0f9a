import { RowcastError } from '../../base/errors.ts';
import type { Dialect } from '../../base/parse-records.ts';
import { writeRow } from '../../base/write-row.ts';
import type { Appended } from '../appended.ts';
import { wordView } from '../bytes/word-view.ts';

/** Where appended fields are written. */
export interface Placing {
  dialect: Dialect;
  /** Whether other columns are before them, so that a delimiter is before the first one. */
  isAfterOthers: boolean;
}

/** A text as a field. @throws RowcastError `cannot_quote` */
export const fieldOf = (text: string, dialect: Dialect): string => writeRow([text], dialect).slice(0, -1);

/** Texts as fields. @throws RowcastError `cannot_quote` */
export const fieldsOf = (texts: readonly string[], { dialect, isAfterOthers }: Placing): string =>
  (isAfterOthers ? dialect.delimiter : '') + writeRow(texts, dialect).slice(0, -1);

/**
 * What a row that was not scored gets. If it is the only column, its fields are quoted: an empty line would be no row.
 *
 * @throws RowcastError `cannot_quote`
 */
export function unscoredFields(
  count: number,
  { dialect: { delimiter, quote }, isAfterOthers }: Placing,
): Pick<Appended, 'empty' | 'isAlone'> {
  const isAlone = !isAfterOthers && count === 1;
  if (!isAlone)
    return { isAlone, empty: wordView(Buffer.from(delimiter.repeat(count - (isAfterOthers ? 0 : 1)))) };
  if (quote === undefined)
    throw new RowcastError(
      'cannot_quote',
      'in a single column, a row that was not scored cannot be written without quotes',
      { hint: 'Keep another column, or leave out --quote none.' },
    );
  return { isAlone, empty: wordView(Buffer.from(quote + quote)) };
}
