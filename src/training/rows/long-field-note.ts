import { countOf } from '../../base/number-text.ts';
import type { LongField } from '../../formats/records/long-field.ts';

/** A note about a field that a stray quote may have made. */
export const longFieldNote = ({ line, lines, bytes }: LongField): string =>
  `The quoted field that opens on line ${line} has ${countOf(lines, 'line')} and ${countOf(bytes, 'byte')}. If that is too long, a stray quote has made the following rows part of this field.`;
