import { RowcastError } from '../base/errors.ts';
import { COMMAS } from '../base/parse-records.ts';
import { shellWord } from '../base/shell-word.ts';
import type { InputRange } from './records/position.ts';

/** The options that decide how an input is read. */
export interface ReadOptions {
  delimiter?: string | undefined;
  quote?: string | undefined;
  /** The character that escapes a quote within quotes; by default, the quote itself does. */
  escape?: string | undefined;
  /** The number of lines before the header; by default none. */
  skipLines?: number | undefined;
  maxRecordBytes: number;
  /** By default a million. */
  maxColumns?: number | undefined;
  /** The columns of an input without a header line; `numbers` names them 1, 2 and so on. */
  names?: readonly string[] | 'numbers' | undefined;
  /** Columns that are known otherwise, for an input whose records name their own. */
  columns?: readonly string[] | undefined;
  /**
   * Columns that must not be missed in an input whose records name their own: it has these, and those of its first
   * records. Those of them that the first records do not have are the layout's `absent`.
   */
  named?: readonly string[] | undefined;
  /** The format, as `fileFormats` call it; by default that of the file's name, or of its first bytes. */
  inputFormat?: string | undefined;
  /**
   * The most bytes that a group of rows may take uncompressed, in a file that is read in groups; by default 512 MiB.
   */
  maxGroupBytes?: number | undefined;
  /** The part to read of an input that is divided into groups of rows: the others are as if they were not there. */
  range?: InputRange | undefined;
  /** The most bytes that may describe the columns and groups of such a file; by default 256 MiB. */
  maxFooterBytes?: number | undefined;
  /** Texts that stood for a missing number when a file that is not text was made. */
  nulls?: readonly string[] | undefined;
  /** Whether a lone CR ends the records of an input without a header line; by default, its first record tells. */
  loneCr?: boolean | undefined;
}

/**
 * The options with which another file is read as this one is, with the values that were given, found or follow from its
 * name; plain data, and part of what identifies a run. A format leaves out the options that it does not have.
 */
export type ReadAs = {
  readonly delimiter?: string;
  readonly quote?: string;
  readonly escape?: string;
  readonly loneCr?: boolean;
};

/** How a file is read, as command-line flags. */
export const readAsText = (readAs: Readonly<Record<string, string | boolean>>): string =>
  Object.entries(readAs)
    .flatMap(([name, value]) => {
      if (name === 'loneCr') return value === true ? ['records ending in CR'] : [];
      return [`--${name} ${wordOf(String(value))}`];
    })
    .join(', ');

/** A character is quoted for a shell; other values are words. */
function wordOf(value: string): string {
  if (value === '\t') return 'tab';
  if (value.length !== 1) return value;
  if (value < ' ') return shellWord(value);
  return value === "'" ? `"'"` : `'${value}'`;
}

/**
 * Refuses options of a CSV for a file of another format, of which texts with commas and double quotes are made.
 *
 * @param file for the message
 * @throws RowcastError `bad_option`
 */
export function refuseCsvOptions(
  { names, delimiter = COMMAS.delimiter, quote = COMMAS.quote }: ReadOptions,
  format: 'Parquet' | 'JSON lines',
  file: string,
): void {
  const refuse = (what: string, hint = 'Leave it out.'): never => {
    throw new RowcastError('bad_option', what, { location: { file }, hint });
  };
  if (Array.isArray(names))
    refuse(
      `--names: the columns of ${format} have names already`,
      'To rename those of the output, use --rename.',
    );
  if (delimiter !== COMMAS.delimiter) refuse(`--delimiter: what is made of ${format} has commas`);
  if (quote !== COMMAS.quote) refuse(`--quote: what is made of ${format} has double quotes`);
}
