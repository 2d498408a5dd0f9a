import type { LongField } from '../../formats/csv/records/long-field.ts';

/** A note about a field that a stray quote may have made. */
export const longFieldNote = ({ line, lines, bytes }: LongField): string =>
  `The quoted field that opens on line ${line} has ${lines} lines and ${bytes} bytes. If that is too long, a stray quote has made the following rows part of this field.`;
