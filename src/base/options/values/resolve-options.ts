import { isDeepStrictEqual } from 'node:util';
import { RowcastError } from '../../errors.ts';
import { COMMAS, parseRecords } from '../../parse-records.ts';
import type { Kind, Option, Options } from '../option.ts';
import { readDuration, readSize } from './duration.ts';
import { describeMismatch, expectedText } from './expectation.ts';
import { type RejectLimit, type RejectLimitOrNone, readRejectLimit } from './reject-limit.ts';
import { schemaOf } from './value-schema.ts';

/** All, none, or those named. */
type Selection = 'all' | 'none' | readonly string[];

export type ValueOf<K extends Kind> = {
  text: string;
  path: string;
  threshold: RejectLimit;
  integer: number;
  number: number;
  /** In seconds. */
  duration: number;
  /** In bytes. */
  size: number;
  boolean: boolean;
  list: readonly string[];
  selection: Selection;
  map: Readonly<Record<string, string>>;
  numbers: Readonly<Record<string, number>>;
  structure: Readonly<Record<string, unknown>>;
}[K];

type Value<O> = O extends { kind: 'text'; choices: readonly (infer C)[] }
  ? C
  : O extends { kind: 'threshold'; orNone: true }
    ? RejectLimitOrNone
    : O extends { kind: 'path'; repeatable: true }
      ? string | readonly string[]
      : O extends { kind: infer K extends Kind }
        ? ValueOf<K>
        : never;

export type CamelCase<S extends string> = S extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : S;

/** The names of options that have a default. */
type Defaulted<T extends Options> = {
  [K in keyof T & string]: T[K] extends { default: unknown } ? K : never;
}[keyof T & string];

/** The resolved values of an option table: always a value for options with a default, else perhaps undefined. */
export type Values<T extends Options> = {
  [K in Defaulted<T> as CamelCase<K>]: Value<T[K]>;
} & {
  [K in Exclude<keyof T & string, Defaulted<T>> as CamelCase<K>]?: Value<T[K]> | undefined;
};

/**
 * Resolves the values of an option table. Flags override the definition, which overrides the defaults.
 *
 * @param flags option → text after the flag, or true for a flag without a value
 * @param defined option → value, as validated by `schemaOf`
 * @throws RowcastError `bad_option`, naming the flag
 */
export function resolveValues<T extends Options>(
  options: T,
  flags: Readonly<Record<string, unknown>>,
  defined: Readonly<Record<string, unknown>> = {},
): Values<T> {
  const values: Record<string, unknown> = {};
  for (const [name, option] of Object.entries(options)) {
    const used = givenValue(name, option, flags, defined) ?? option.default;
    values[camelCase(name)] = used === undefined ? undefined : checkValue(name, option, used, flags[name]);
  }
  return values as Values<T>; // each option has one value, validated by its kind, as Values declares
}

/**
 * The value of an option as a definition has it; undefined if it is not given. A flag overrides the definition.
 *
 * @throws RowcastError `bad_option`
 */
export function givenValue(
  name: string,
  option: Option,
  flags: Readonly<Record<string, unknown>>,
  defined: Readonly<Record<string, unknown>>,
): unknown {
  const flag = flags[name];
  return flag === undefined ? defined[name] : readFlag(name, option, flag);
}

export function readFlag(name: string, { kind }: Option, flag: unknown): unknown {
  if (typeof flag !== 'string') return flag;
  if (kind === 'list') return readList(name, flag);
  if (kind === 'selection') return flag === 'all' || flag === 'none' ? flag : readList(name, flag);
  if (kind === 'map') return readMap(name, flag);
  if (kind === 'numbers')
    return Object.fromEntries(
      Object.entries(readMap(name, flag)).map(([item, text]) => [
        item,
        /^\s*$/.test(text) ? text : Number(text),
      ]),
    );
  if (kind === 'integer' || kind === 'number') return /^\s*$/.test(flag) ? flag : Number(flag);
  if ((kind === 'text' || kind === 'path') && flag === '') throw badOption(name, 'must not be empty');
  return flag;
}

/** A list after a flag is one CSV record, so that an item may contain a comma. */
function readList(name: string, flag: string): string[] {
  if (flag === '') return [];
  try {
    return parseRecords(flag, COMMAS)[0] ?? [];
  } catch {
    throw badOption(name, 'unclosed quote in the list');
  }
}

/** A map is a list of `name=value`. The last `=` counts: a column's name may contain others. */
function readMap(name: string, flag: string): Record<string, string> {
  const entries = readList(name, flag).map(item => {
    const at = item.lastIndexOf('=');
    if (at <= 0) throw badOption(name, `expected NAME=VALUE, got ${expectedText(item)}`);
    return [item.slice(0, at), item.slice(at + 1)] as const;
  });
  const map = Object.fromEntries(entries);
  if (Object.keys(map).length < entries.length) throw badOption(name, 'a name is given twice');
  return map;
}

/** @param typed the text after the flag, for messages */
function checkValue(name: string, option: Option, value: unknown, typed?: unknown): unknown {
  const checked = schemaOf(option).safeParse(value);
  if (!checked.success) throw badOption(name, describeMismatch(option, typed ?? value));
  switch (option.kind) {
    case 'threshold':
      return option.orNone && value === 'none' ? value : readRejectLimit(String(value));
    case 'duration':
      return readDuration(String(value));
    case 'size':
      return readSize(String(value));
    default:
      return checked.data;
  }
}

function badOption(name: string, message: string): RowcastError {
  return new RowcastError('bad_option', `--${name}: ${message}`);
}

/** The library's name of an option: `max-outage` → `maxOutage`. */
export const camelCase = (name: string): string =>
  name.replace(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

/** The options that differ from their default, by name: durations in seconds, sizes in bytes, thresholds as written. */
export function changedOptions(
  options: Options,
  values: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const defaults: Readonly<Record<string, unknown>> = resolveValues(options, {});
  const changed: Record<string, unknown> = {};
  for (const [name, { kind }] of Object.entries(options)) {
    const value = values[camelCase(name)];
    if (value === undefined || isDeepStrictEqual(value, defaults[camelCase(name)])) continue;
    changed[name] = kind === 'threshold' ? thresholdText(value as RejectLimitOrNone) : value; // the kind of its value
  }
  return changed;
}

/** A threshold as it is written. */
export function thresholdText(limit: RejectLimitOrNone): string {
  if (limit === 'none') return limit;
  return 'rows' in limit ? String(limit.rows) : `${limit.percent}%`;
}
