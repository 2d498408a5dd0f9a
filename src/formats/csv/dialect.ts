import { RowcastError } from '../../base/errors.ts';
import type { Dialect } from '../../base/parse-records.ts';

export interface DialectOptions {
  /** The file's name, without the suffix of a compression: `.tsv` means tabs, and no quoting. */
  file?: string | undefined;
  /** One ASCII character, or `tab`. */
  delimiter?: string | undefined;
  /** One ASCII character, or `none`. */
  quote?: string | undefined;
  /** One ASCII character; the quote is the same as none. */
  escape?: string | undefined;
}

/**
 * The dialect that a file is read with before its first record was seen. The delimiter is never guessed.
 *
 * @throws RowcastError `bad_dialect` for characters that cannot be used
 */
export function dialectOf(options: DialectOptions): Dialect {
  const delimiter = delimiterOf(options);
  const quote = quoteOf(options, delimiter);
  // Appended numbers are written bare, so no number may hold the delimiter or the quote.
  if (!isAscii(delimiter) || /[\w.+\r\n-]/.test(delimiter))
    throw new RowcastError('bad_dialect', `--delimiter ${JSON.stringify(delimiter)} cannot separate fields`, {
      hint: 'Give one ASCII character that is not a letter, a digit, "_", ".", "+" or "-"; or "tab".',
    });
  if (quote !== undefined && (!/^[\x21-\x7e]$/.test(quote) || /[\w.+-]/.test(quote) || quote === delimiter))
    throw new RowcastError('bad_dialect', `--quote ${JSON.stringify(quote)} cannot quote fields`, {
      hint: 'Give one ASCII character other than the delimiter that is not a letter or a digit; or "none".',
    });
  const { escape: escaper } = options;
  if (escaper === undefined || escaper === quote) return { delimiter, quote, loneCr: false };
  if (
    quote === undefined ||
    !/^[\x21-\x7e]$/.test(escaper) ||
    /[\w.+-]/.test(escaper) ||
    escaper === delimiter
  )
    throw new RowcastError('bad_dialect', `--escape ${JSON.stringify(escaper)} cannot escape quotes`, {
      hint: "Give one ASCII character other than the delimiter that is not a letter or a digit, such as '\\'; without quotes, leave it out.",
    });
  return { delimiter, quote, escape: escaper, loneCr: false };
}

function delimiterOf({ file, delimiter }: DialectOptions): string {
  if (delimiter === 'tab' || delimiter === '\\t') return '\t';
  return delimiter ?? (isTsv(file) ? '\t' : ',');
}

/** A quote is data in TSV (IANA text/tab-separated-values): an unmatched one would swallow the rows after it. */
function quoteOf({ file, quote }: DialectOptions, delimiter: string): string | undefined {
  if (quote === 'none') return undefined;
  return quote ?? (isTsv(file) && delimiter === '\t' ? undefined : '"');
}

/** Whether a text is one character of ASCII; those of control are separators in Hive, and in exports of mainframes. */
const isAscii = (text: string): boolean =>
  text.length === 1 && text.charCodeAt(0) > 0 && text.charCodeAt(0) < 0x7f;

const isTsv = (file = ''): boolean => /\.tsv$/i.test(file);
