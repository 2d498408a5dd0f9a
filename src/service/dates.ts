import type { Value } from '../api/shapes.ts';

/** In which order a column's dates give year, month and day. */
export const dateOrders = ['ymd', 'dmy', 'mdy'] as const;
export type DateOrder = (typeof dateOrders)[number];

/** A date as people write it into a CSV, perhaps with a time of day and its distance from UTC after it. */
const date = /^(\d{1,4})([-/.])(\d{1,2})\2(\d{1,4})(?:(?:T| +)(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,]\d+)?)?)?/i;
const zone = /^ *(?:(Z|UTC)|([+-])(\d{2}):?(\d{2})?)$/i;

const DAY_SECONDS = 86_400;

/**
 * A date as days since 1970-01-01, with the time of day as a fraction; a time without a zone counts as UTC. Days,
 * because a float32 holds them to two minutes, and seconds no better. Null for what is no date in this order.
 */
export function daysOf(text: string, order: DateOrder): number | null {
  const trimmed = text.trim();
  const found = date.exec(trimmed);
  if (found === null) return null;
  const [whole, first = '', , second = '', third = '', hour = '0', minute = '0', seconds = '0'] = found;
  const offset = offsetMinutes(trimmed.slice(whole.length), found[5] !== undefined);
  if (offset === null) return null;
  const { year, month, day } = arranged(order, first, second, third);
  if (year.length !== 4 || month.length > 2 || day.length > 2) return null;
  const midnight = new Date(0).setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  if (Number(month) < 1 || Number(month) > 12) return null;
  // The calendar has the last word: 2023-02-30 would be a day in March.
  if (new Date(midnight).getUTCDate() !== Number(day)) return null;
  if (Number(hour) > 23 || Number(minute) > 59 || Number(seconds) > 60) return null;
  const ofDay = Number(hour) * 3600 + (Number(minute) - offset) * 60 + Number(seconds);
  return midnight / 1000 / DAY_SECONDS + ofDay / DAY_SECONDS;
}

function arranged(order: DateOrder, first: string, second: string, third: string) {
  switch (order) {
    case 'ymd':
      return { year: first, month: second, day: third };
    case 'dmy':
      return { year: third, month: second, day: first };
    case 'mdy':
      return { year: third, month: first, day: second };
  }
}

/** A value for a column of dates: anything that is not a date is missing. */
export function dateReader(order: DateOrder): (value: Value) => number | null {
  return value => (typeof value === 'string' ? daysOf(value, order) : null);
}

/**
 * The order in which all of these texts are dates; undefined where there is none. Where day and month could
 * change places in every one of them, day first is taken with points, and month first with slashes.
 */
export function dateOrderOf(texts: readonly string[]): DateOrder | undefined {
  const [sample] = texts;
  if (sample === undefined) return undefined;
  const orders = sample.includes('/') ? (['ymd', 'mdy', 'dmy'] as const) : dateOrders;
  return orders.find(order => texts.every(text => daysOf(text, order) !== null));
}

/** Minutes that a zone is ahead of UTC; null for what is no zone. */
function offsetMinutes(text: string, hasTime: boolean): number | null {
  if (text === '') return 0;
  const found = hasTime ? zone.exec(text) : null;
  if (found === null) return null;
  const [, isUtc, sign, hours = '0', minutes = '0'] = found;
  if (isUtc !== undefined) return 0;
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
}
