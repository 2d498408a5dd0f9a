import { countOf } from '../base/number-text.ts';
import { sanitize } from '../base/sanitize.ts';
import type { LongField } from '../formats/records/batch-reader.ts';

/**
 * The warning about a suspiciously long field, for the log.
 *
 * @param file the input's name
 * @returns the members of the log line, and its text
 */
export function longFieldLine(file: string, { line, row, bytes, lines }: LongField): [object, string] {
  const size = `${countOf(lines, 'line')} and ${countOf(bytes, 'byte')} long`;
  return [
    {
      code: 'long_field',
      file,
      line,
      row,
      field_lines: lines,
      field_bytes: bytes,
      hint: 'Close the quote, or use --quote none for a file without quoting.',
    },
    `${sanitize(file)}:${line}: the quoted field that opens on this line is ${size}; if that is not intended, a stray quote has swallowed the rows that follow (reported once per run)`,
  ];
}
