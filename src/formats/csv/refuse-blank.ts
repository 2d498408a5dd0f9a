import { RowcastError } from '../../base/errors.ts';
import { afterHeader, COMMON_DELIMITERS, type Header } from './header.ts';

/**
 * Refuses an input of blank lines, or of lines with nothing but delimiters, as spreadsheets write empty rows.
 *
 * @param first bytes after the header
 * @throws RowcastError `empty_input`
 */
export function refuseBlank(header: Header, first: Buffer, file: string): void {
  const { names, instead, dialect } = header;
  if (instead !== undefined) return;
  const isBlank = (text: string): boolean =>
    [...text].every(character => character.trim() === '' || isDelimiter(character));
  const isDelimiter = (character: string): boolean =>
    character === dialect.delimiter || COMMON_DELIMITERS.some(usual => usual === character);
  if (!names.every(isBlank) || !isBlank(first.toString('latin1').replaceAll('"', ''))) return;
  const hasDelimiters = names.length > 1 || names.join('').trim() !== '';
  throw new RowcastError(
    'empty_input',
    `the input has only ${hasDelimiters ? 'delimiters and blank lines' : 'blank lines'}: no names of columns, and no values`,
    {
      isUnfinished: true,
      location: { file, line: afterHeader(header).line - 1 },
      hint: 'A CSV begins with a header that names its columns. Look at what has written the file.',
    },
  );
}
