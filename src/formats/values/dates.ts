import type { Value } from '../../base/contract/schemas.ts';

/** The features that are derived from a date. */
export const datePieces = ['day', 'hour'] as const;
export type DatePiece = (typeof datePieces)[number];

const DAY_SECONDS = 86_400;

/** POSIX strptime, %y: 69 to 99 are 1969 to 1999, and 00 to 68 are 2000 to 2068. */
const PIVOT = 69;

/**
 * A date as days since 1970-01-01, with the time of day as a fraction; times without a zone are UTC. In days, because
 * float32 resolves them to two minutes, and seconds no better. Null if the text is not a date in this order.
 */
export function daysOf(text: string, order: DateOrder): number | null {
  const parts = partsOf(text, order);
  if (parts === null) return null;
  const midnight = midnightOf(parts);
  return midnight === null
    ? null
    : midnight / DAY_SECONDS + (secondsOf(parts) - 60 * parts.offset) / DAY_SECONDS;
}

/**
 * The time of day in hours from 0 to 24: that of UTC if the text has a time zone, because a Parquet file has an instant
 * in UTC whatever the zone, else as written; null if the text is not a date.
 */
export function hourOf(text: string, order: DateOrder): number | null {
  const parts = partsOf(text, order);
  if (parts === null || midnightOf(parts) === null) return null;
  const seconds = (secondsOf(parts) - 60 * parts.offset) % DAY_SECONDS;
  return (seconds < 0 ? seconds + DAY_SECONDS : seconds) / 3600;
}

/** Reads values of a date column; anything that is not a date is missing. */
export function dateReader(order: DateOrder, piece: DatePiece): (value: Value) => number | null {
  const of = piece === 'day' ? daysOf : hourOf;
  return value => (typeof value === 'string' ? of(value, order) : null);
}

const secondsOf = ({ hour, minute, second }: DateParts): number => hour * 3600 + minute * 60 + second;

/** Seconds from 1970 to the start of a day; null if the day does not exist. */
function midnightOf({ year, month, day }: DateParts): number | null {
  if (month < 1 || month > 12) return null;
  const midnight = new Date(0).setUTCFullYear(fullYear(year), month - 1, day);
  // 2023-02-30 would be a day in March.
  return new Date(midnight).getUTCDate() === day ? midnight / 1000 : null;
}

const fullYear = (digits: string): number => {
  const year = Number(digits);
  if (digits.length > 2) return year;
  return year + (year < PIVOT ? 2000 : 1900);
};

/** The order of year, month and day in a column's dates. */
export const dateOrders = ['ymd', 'dmy', 'mdy'] as const;
export type DateOrder = (typeof dateOrders)[number];

/** The parts of a date's text. Whether the day exists is not checked. */
interface DateParts {
  /** Two digits or four. */
  year: string;
  month: number;
  day: number;
  hour: number;
  minute: number;
  second: number;
  /** The offset of its time zone from UTC, in minutes. */
  offset: number;
}

const clock = '(\\d{1,2}):(\\d{2})(?::(\\d{2})(?:[.,]\\d+)?)?';
const time = `(?:(?:T|,? +)${clock}(?: ?([ap])\\.?m\\.?)?)?`;
const numbers = '(\\d{1,4})([-/.])(\\d{1,2})\\2(\\d{1,4})';

/** A time of ISO 8601 in basic format, such as 20240131T0930Z. Without a time, eight digits may be any number. */
const basic = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(?:(\d\d)(?:[.,]\d+)?)?()/i;

const numeric = new RegExp(`^${numbers}${time}`, 'i');

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const longMonths = 'january|february|march|april|june|july|august|september|october|november|december|sept';
const month = `(${longMonths}|${months.join('|')})\\.?`;
const weekday = '(?:(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?\\.?,? +)?';
const day = '(\\d{1,2})(?:st|nd|rd|th)?';
const year = '(\\d{4}|\\d{2})(?!\\d)';
const gap = '[-/. ]{0,2}';

/** Patterns with a month's name: day first, month first, or year first. */
const named = [
  { pattern: new RegExp(`^${weekday}${day}${gap}${month},?${gap}${year}${time}`, 'i'), at: [1, 2, 3] },
  {
    pattern: new RegExp(`^${weekday}${month}${gap}${day},?[-/. ]{1,2}${year}${time}`, 'i'),
    at: [2, 1, 3],
  },
  { pattern: new RegExp(`^(\\d{4})${gap}${month}${gap}${day}${time}`, 'i'), at: [3, 2, 1] },
] as const;

const zone = /^ *(?:(Z|UTC|GMT)|([+-])(\d{2}):?(\d{2})?)$/i;

/** Longer texts are not dates. */
const MAX_LENGTH = 64;

/**
 * Parses a date as found in CSV files, optionally with a time and a time zone; null for anything else. Months may have
 * English names, years two digits, and times AM or PM. The learned order decides where the year is last or has two
 * digits. Dates that begin with a year of four digits, or name their month, have one meaning only and are read in
 * columns of any order.
 */
export function partsOf(text: string, order: DateOrder): DateParts | null {
  const trimmed = text.trim();
  if (trimmed.length > MAX_LENGTH) return null;
  return numericParts(trimmed, order) ?? namedParts(trimmed) ?? basicParts(trimmed);
}

/** Whether a text has the form of a numeric date whose meaning no column's order changes. */
export const isYearFirst = (text: string): boolean => /^\s*\d{4}(?:[-/.]\d{1,2}[-/.]|\d{4}T)/i.test(text);

function numericParts(text: string, order: DateOrder): DateParts | null {
  const found = numeric.exec(text);
  if (found === null) return null;
  const [whole, first = '', , second = '', third = ''] = found;
  const [year, month, day] = arranged(order, first, second, third);
  if (year.length !== 4 && year.length !== 2) return null;
  if (month.length > 2 || day.length > 2) return null;
  const time = timeOf(found.slice(5, 9), text.slice(whole.length));
  return time && { year, month: Number(month), day: Number(day), ...time };
}

function arranged(order: DateOrder, first: string, second: string, third: string) {
  if (first.length === 4) return [first, second, third] as const;
  switch (order) {
    case 'ymd':
      return [first, second, third] as const;
    case 'dmy':
      return [third, second, first] as const;
    case 'mdy':
      return [third, first, second] as const;
  }
}

function namedParts(text: string): DateParts | null {
  for (const { pattern, at } of named) {
    const found = pattern.exec(text);
    if (found === null) continue;
    const [day = '', name = '', year = ''] = at.map(group => found[group]);
    const time = timeOf(found.slice(4, 8), text.slice(found[0].length));
    const month = months.indexOf(name.slice(0, 3).toLowerCase()) + 1;
    return time && { year, month, day: Number(day), ...time };
  }
  return null;
}

function basicParts(text: string): DateParts | null {
  const found = basic.exec(text);
  if (found === null) return null;
  const [whole, year = '', month, day] = found;
  const time = timeOf(found.slice(4, 8), text.slice(whole.length));
  return time && { year, month: Number(month), day: Number(day), ...time };
}

type Time = Pick<DateParts, 'hour' | 'minute' | 'second' | 'offset'>;

function timeOf(clock: readonly (string | undefined)[], rest: string): Time | null {
  const [hours, minute = '0', second = '0', half] = clock;
  const offset = offsetMinutes(rest, hours !== undefined);
  if (offset === null) return null;
  let hour = Number(hours ?? '0');
  if (half) {
    if (hour < 1 || hour > 12) return null;
    hour = (hour % 12) + (/p/i.test(half) ? 12 : 0);
  }
  if (hour > 23 || Number(minute) > 59 || Number(second) > 60) return null;
  return { hour, minute: Number(minute), second: Number(second), offset };
}

/** The offset of a time zone from UTC in minutes; null if the text is not a time zone. */
function offsetMinutes(text: string, hasTime: boolean): number | null {
  if (text === '') return 0;
  const found = hasTime ? zone.exec(text) : null;
  if (found === null) return null;
  const [, isUtc, sign, hours = '0', minutes = '0'] = found;
  if (isUtc !== undefined) return 0;
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
}
