import type { Value } from '../../base/contract/schemas.ts';
import { finite, numberOf, plainNumber } from './coerce.ts';

/**
 * How texts of a numerical column are parsed, in training and in serving:
 *
 * - `point`: with a decimal point, and perhaps a currency, a percent sign or thousands separators: $1,234.50, 58.7%,
 *   1'234.
 * - `comma`: the same with a decimal comma: 1.234,50 €.
 * - `python`: as data frames read them, without currencies: also True and False, which are 1 and 0, and inf, which is the
 *   largest double.
 *
 * An amount in parentheses, or with a minus behind it, is negative, as in accounting and in SAP.
 */
export const numberNotations = ['point', 'comma', 'python'] as const;
export type NumberNotation = (typeof numberNotations)[number];

/** The most traded currencies (BIS Triennial Survey 2022); other letters next to a number may be part of a code. */
const currencyCodes =
  'USD|EUR|JPY|GBP|CNY|AUD|CAD|CHF|HKD|SGD|SEK|KRW|NOK|NZD|INR|MXN|TWD|ZAR|BRL|DKK|PLN|THB|ILS|IDR|CZK';
const before = `(?:${currencyCodes}|[A-Z]{0,2}\\p{Sc}) ?`;
const after = `[ \u00a0\u202f]?(?:${currencyCodes}|\\p{Sc}|%)`;
const sign = '[-+\u2212]';

/** @param groups a pattern of digits with thousands separators, the separator in capturing group 4 */
const written = (groups: string, decimal: string): RegExp =>
  new RegExp(
    `^(${sign})?(?:${before})?(${sign})?((?:${groups}|\\d+)?(?:${decimal}\\d*)?)(?:${after})?$`,
    'u',
  );

/**
 * Groups of three digits with the same separator. The first begins with no zero: in 0,126 the comma is a decimal one.
 */
const thousands = (separator: string): string =>
  `[1-9]\\d{0,2}([${separator}'\u2019 \u00a0\u202f])\\d{3}(?:\\4\\d{3})*`;
/** Digits grouped by lakhs and crores, such as 12,34,567. */
const indian = '[1-9]\\d?(?:,\\d\\d)+,\\d{3}';

const patterns: Readonly<Record<Exclude<NumberNotation, 'python'>, RegExp>> = {
  point: written(`${thousands(',')}|${indian}`, '\\.'),
  comma: written(thousands('.'), ','),
};

/** Other numbers of Python, in lower case. */
const words: ReadonlyMap<string, number> = new Map([
  ['true', 1],
  ['false', 0],
  ...['inf', '+inf', 'infinity', '+infinity'].map(text => [text, Number.MAX_VALUE] as const),
  ...['-inf', '-infinity'].map(text => [text, -Number.MAX_VALUE] as const),
]);

function pythonNumber(text: string): number | null {
  const value = plainNumber(text);
  return value === null ? (words.get(text.trim().toLowerCase()) ?? null) : limited(value);
}

/** The largest double for infinity, which no comparison of a model tells apart. */
const limited = (value: number): number => Math.min(Math.max(value, -Number.MAX_VALUE), Number.MAX_VALUE);

/** Longer texts are not amounts; the limit also bounds the cost of the pattern. */
const MAX_LENGTH = 40;

/** Parses a number, ignoring a currency or percent sign; null if it is not a number or beyond float32. */
export function readNumber(text: string, notation: NumberNotation): number | null {
  if (notation === 'python') return pythonNumber(text);
  if (notation === 'point') return numberOf(text) ?? writtenNumber(text, notation);
  // First, because 1.234 is a thousand here.
  return writtenNumber(text, notation) ?? numberOf(text);
}

function writtenNumber(text: string, notation: Exclude<NumberNotation, 'python'>): number | null {
  const trimmed = text.trim();
  if (trimmed.length > MAX_LENGTH) return null;
  const [, inParentheses, beforeMinus] = /^(?:\((.*)\)|(.*\d)[-\u2212])$/su.exec(trimmed) ?? [];
  const negated = inParentheses ?? beforeMinus;
  const [, first, second, amount = ''] = patterns[notation].exec(negated ?? trimmed) ?? [];
  if (negated !== undefined && (first ?? second) !== undefined) return null;
  if (!/\d/.test(amount) || (first !== undefined && second !== undefined)) return null;
  const digits =
    notation === 'point' ? amount.replace(/[^\d.]/g, '') : amount.replace(/[^\d,]/g, '').replace(',', '.');
  const isNegative = negated !== undefined || /[-\u2212]/.test(first ?? second ?? '');
  return finite(isNegative ? -Number(digits) : Number(digits));
}

/** Reads values of a numerical column; anything that is not a number is missing. */
export function numberReader(notation: NumberNotation): (value: Value) => number | null {
  return value => {
    if (typeof value === 'number') return notation === 'python' ? limited(value) : finite(value);
    if (typeof value === 'string') return readNumber(value, notation);
    return value === null ? null : Number(value);
  };
}
