import { countOf } from '../base/number-text.ts';
import { sanitize } from '../base/sanitize.ts';
import type { LongField } from '../formats/records/read-batches.ts';

/** Something about an input that is perhaps not as it was meant to be. */
export interface InputWarning {
  code: 'no_rows' | 'unended_record';
  message: string;
  /** The name of the input. */
  file: string;
  /** 1-based. */
  line?: number;
  hint: string;
}

/** The only row of a file has no line ending: the rest of the file may be missing. */
export const unendedRecord = (file: string, line: number): InputWarning => ({
  code: 'unended_record',
  message: `${sanitize(file)}:${line}: the only row has no line ending, so it may be cut off, and others missing`,
  file,
  line,
  hint: 'If the row is complete, end it with a line feed. A program that is late is waited for with --wait-for-input.',
});

/**
 * A file has a header only.
 *
 * @param isReady whether another file has said that it is complete
 */
export const noRows = (file: string, isReady = false): InputWarning => ({
  code: 'no_rows',
  message: `${sanitize(file)}: the input has no rows`,
  file,
  hint: isReady
    ? 'The file of --ready-file says that it is complete: check the program that writes it.'
    : 'If they come later, wait for them with --wait-for-input.',
});

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
