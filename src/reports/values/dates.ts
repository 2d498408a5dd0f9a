import type { Value } from '../../contract/schemas.ts';
import { type DateParts, type DateReading, partsOf } from './date-parts.ts';

/** What a model learns from of a date. */
export const datePieces = ['day', 'hour'] as const;
export type DatePiece = (typeof datePieces)[number];

const DAY_SECONDS = 86_400;

/** POSIX strptime, %y: 69 to 99 are 1969 to 1999, and 00 to 68 are 2000 to 2068. */
const PIVOT = 69;

/**
 * A date as days since 1970-01-01, with the time of day as a fraction; a time without a zone counts as UTC. Days,
 * because a float32 holds them to two minutes, and seconds no better. Null for what is not a date in this order.
 */
export function daysOf(text: string, reading: DateReading): number | null {
  const parts = partsOf(text, reading);
  if (parts === null) return null;
  const midnight = midnightOf(parts);
  return midnight === null
    ? null
    : midnight / DAY_SECONDS + (secondsOf(parts) - 60 * parts.offset) / DAY_SECONDS;
}

/** The time of day as it is written, in hours from 0 to 24 and whatever the zone; null for what is not a date. */
export function hourOf(text: string, reading: DateReading): number | null {
  const parts = partsOf(text, reading);
  return parts === null || midnightOf(parts) === null ? null : secondsOf(parts) / 3600;
}

/** A value for a column of dates: anything that is not a date is missing. */
export function dateReader(reading: DateReading, piece: DatePiece): (value: Value) => number | null {
  const of = piece === 'day' ? daysOf : hourOf;
  return value => (typeof value === 'string' ? of(value, reading) : null);
}

const secondsOf = ({ hour, minute, second }: DateParts): number => hour * 3600 + minute * 60 + second;

/** Seconds from 1970 to a day's beginning; null for a day that no calendar has. */
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
