import { countOf } from '../../base/number-text.ts';
import { sanitize } from '../../base/sanitize.ts';
import type { LongField } from '../../formats/records/batch-reader.ts';

/**
 * A note about a field that a stray quote may have made.
 *
 * @param file its name, if there are several
 */
export const longFieldNote = ({ line, lines, bytes }: LongField, file?: string): string =>
  `The quoted field that opens on line ${line}${file === undefined ? '' : ` of ${sanitize(file)}`} has ${countOf(lines, 'line')} and ${countOf(bytes, 'byte')}. If that is too long, a stray quote has made the following rows part of this field.`;
