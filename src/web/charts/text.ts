import { sanitize } from '../../base/sanitize.ts';

/** A name or value from a file as text that is safe to show, and never empty. */
export const nameText = (name: string): string => sanitize(name) || '(blank)';

/** A share as text: "84.2%". */
export const percentText = (share: number, digits = 1): string => `${(100 * share).toFixed(digits)}%`;

/** Made once, because making one takes much longer than formatting a number. */
const counts = new Intl.NumberFormat('en-US');

/** A count as text: "20,000". */
export const countText = (count: number): string => counts.format(count);

/** A number with a noun: "1 row", "2,000 rows". */
export const countedText = (count: number, noun: string): string =>
  `${countText(count)}\u00a0${noun}${count === 1 ? '' : 's'}`;

/** Text of at most `most` characters, without splitting one. */
export function shortened(text: string, most: number): string {
  const characters = [...text];
  return characters.length <= most ? text : `${characters.slice(0, most - 1).join('')}…`;
}

/** Shortens a text by its middle, because names of classes often differ only at their end. */
export function shortenedInside(text: string, most: number): string {
  const characters = [...text];
  if (characters.length <= most) return text;
  const end = (most - 1) >> 1;
  return `${characters.slice(0, most - 1 - end).join('')}…${characters.slice(-end).join('')}`;
}
