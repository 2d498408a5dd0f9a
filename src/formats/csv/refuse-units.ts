import { RowcastError } from '../../base/errors.ts';
import { sanitize } from '../../base/sanitize.ts';
import { shellWord } from '../../base/shell-word.ts';
import { writeRow } from '../../base/write-row.ts';
import { filteredBy } from '../filtered-by.ts';
import { isFiller, looksLikeValue } from '../refuse-row-as-header.ts';
import { afterHeader, type Header } from './header.ts';
import { fieldsOfLines } from './later-header.ts';

/** Columns of numbers or dates that must have other text in the line, so that a single typing error is not enough. */
const MIN_COLUMNS = 2;
/** Rows after the line that must have a value in such a column. */
const MIN_VALUES = 2;

/**
 * Refuses a line of units, types or the like under the header: in every column whose next rows have numbers or dates, it has other
 * text or nothing. As a row, it would be scored, and in training its label would be a class.
 *
 * @param first bytes after the header
 * @param nulls texts that stand for missing values
 * @throws RowcastError `bad_header`
 */
export function refuseUnits(header: Header, first: Buffer, nulls: readonly string[], file: string): void {
  const { names, instead, dialect } = header;
  if (instead !== undefined) return;
  const [units, ...rows] = fieldsOfLines(first, dialect.delimiter);
  if (units?.length !== names.length) return;
  const whole = rows.filter(({ length }) => length === names.length);
  const isMissing = (text = ''): boolean => isFiller(text) || nulls.includes(text);
  const texts = units.filter((_, column) => {
    const values = whole.map(row => row[column]).filter((text = '') => !isMissing(text));
    return values.length >= MIN_VALUES && values.every((text = '') => looksLikeValue(text));
  });
  const words = [...new Set(texts.filter(text => !isMissing(text)))];
  if (words.length < MIN_COLUMNS || words.some(looksLikeValue)) return;
  const { line } = afterHeader(header);
  const quoted = words.slice(0, MIN_COLUMNS).map(word => `"${sanitize(word)}"`);
  throw new RowcastError(
    'bad_header',
    `the line under the header has text in all columns of numbers or dates (${quoted.join(', ')}${words.length > MIN_COLUMNS ? ', …' : ''}), as a line of units has, so it is no row`,
    {
      location: { file, line },
      hint: `${filteredBy(file, `sed ${line}d`)} If it is a row, and these texts stand for missing values, use --nulls ${shellWord(writeRow(words).slice(0, -1))}`,
    },
  );
}
