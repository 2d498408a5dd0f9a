import { sanitize } from '../base/sanitize.ts';

/** A name or value from a file as text that is safe to show, and never empty. */
export const nameText = (name: string): string => sanitize(name) || '(blank)';

/** A share as text: "84.2%". */
export const percentOf = (share: number, digits = 1): string => `${(100 * share).toFixed(digits)}%`;

/** Made once, because making one takes much longer than formatting a number. */
const counts = new Intl.NumberFormat('en-US');

/** A count as text: "20,000". */
export const countText = (count: number): string => counts.format(count);

/** A number of any size as text, with a few digits: "12,345.6", "1.20e+21". */
export const numberText = (value: number, digits = 6): string =>
  Math.abs(value) >= 1e15 || (value !== 0 && Math.abs(value) < 1e-4)
    ? value.toExponential(2)
    : value.toLocaleString('en-US', { maximumSignificantDigits: digits });

/** A number with four digits. */
export const shortNumber = (value: number): string => numberText(value, 4);

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

const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'] as const;

/** A size for people: three digits, as the options of the command line are written. */
export function bytesText(bytes: number): string {
  let [value, unit] = [bytes, 0];
  for (; value >= 1000 && unit < units.length - 1; unit++) value /= 1024;
  const digits = unit === 0 || value >= 100 ? 0 : value >= 10 ? 1 : 2;
  return `${Number(value.toFixed(digits))} ${units[unit]}`;
}

/** Messages of errors start in lower case and have no full stop, for the command line; on a page they are sentences. */
export const sentence = (text: string): string =>
  `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;
