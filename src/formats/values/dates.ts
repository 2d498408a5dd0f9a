import type { Value } from '../../base/contract/schemas.ts';
import { type DateOrder, type DateParts, partsOf } from './date-parts.ts';

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
 * The time of day in hours from 0 to 24: that of UTC if the text has a time zone, because a Parquet file has an instant in UTC
 * whatever the zone, else as written; null if the text is not a date.
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
