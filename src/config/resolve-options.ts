import * as z from 'zod';
import { RowcastError } from '../errors.ts';
import { parseRecords } from '../formats/csv/field-reader.ts';
import { readDuration } from './duration.ts';
import { describeExpected, valueText } from './expectation.ts';
import { describeWithDefault, type Kind, type Option } from './option-table.ts';
import { type RejectLimit, readRejectLimit } from './reject-limit.ts';

export type Options = Readonly<Record<string, Option>>;

type ValueOf<K extends Kind> = {
  text: string;
  threshold: RejectLimit;
  integer: number;
  number: number;
  seconds: number;
  /** In milliseconds. */
  duration: number;
  size: number;
  flag: boolean;
  list: readonly string[];
  map: Readonly<Record<string, string>>;
}[K];

type Value<O> = O extends { kind: 'text'; choices: readonly (infer C)[] }
  ? C
  : O extends { kind: infer K extends Kind }
    ? ValueOf<K>
    : never;

type CamelCase<S extends string> = S extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : S;

/** The resolved values of an option table: always a value for options with a default, else perhaps undefined. */
export type Values<T extends Options> = {
  [K in keyof T & string as CamelCase<K>]: T[K] extends { default: unknown }
    ? Value<T[K]>
    : Value<T[K]> | undefined;
};

/** The schema of an option's value in a definition. */
export function schemaOf(option: Option): z.ZodType {
  return bareSchema(option).describe(describeWithDefault(option));
}

function bareSchema({ kind, choices, min: least, max: most }: Option): z.ZodType {
  const text = choices === undefined ? z.string() : z.enum(choices);
  switch (kind) {
    case 'text':
      return choices === undefined ? z.string().min(1) : text;
    case 'flag':
      return z.boolean();
    case 'list':
      return z.array(z.string());
    case 'map':
      return z.record(z.string(), text);
    case 'number':
    case 'seconds':
      return z
        .number()
        .min(least ?? 0)
        .max(most ?? Number.MAX_SAFE_INTEGER);
    case 'integer':
      return z
        .int()
        .min(least ?? 0)
        .max(most ?? Number.MAX_SAFE_INTEGER);
    case 'duration':
      return z.union([z.number(), z.string()]).refine(value => {
        const milliseconds = readDuration(String(value)) ?? -1;
        return milliseconds >= (least ?? 0) && milliseconds <= (most ?? Number.MAX_SAFE_INTEGER);
      });
    case 'threshold':
      return z.union([
        z.int().min(0),
        z.string().refine(text => readRejectLimit(text), 'a number, or one with %'),
      ]);
    case 'size':
      return z
        .union([z.int(), z.string().regex(SIZE, 'a number of bytes, or one with KiB or MiB')])
        .refine(size => {
          const bytes = readSize(String(size));
          return bytes >= (least ?? 0) && bytes <= (most ?? Number.MAX_SAFE_INTEGER);
        }, `from ${least} to ${most} bytes`);
  }
}

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
    const flag = flags[name];
    const given = flag === undefined ? defined[name] : readFlag(name, option, flag);
    const used = given ?? (option.kind === 'duration' ? option.default : undefined);
    values[camelCase(name)] = used === undefined ? option.default : checkValue(name, option, used, flag);
  }
  return values as Values<T>; // each option has one value, validated by its kind, as Values declares
}

function readFlag(name: string, { kind }: Option, flag: unknown): unknown {
  if (typeof flag !== 'string') return flag;
  if (kind === 'list') return readList(name, flag);
  if (kind === 'integer' || kind === 'number' || kind === 'seconds')
    return /^\s*$/.test(flag) ? flag : Number(flag);
  if (kind === 'text' && flag === '') throw badOption(name, 'it is empty');
  return flag;
}

function readList(name: string, flag: string): string[] {
  if (flag === '') return [];
  try {
    return parseRecords(flag, FLAG_LIST)[0] ?? [];
  } catch {
    throw badOption(name, 'unclosed quote in the list');
  }
}

/** A list after a flag is one CSV record, so that an item may contain a comma. */
const FLAG_LIST = { delimiter: ',', quote: '"', loneCr: false };

/** @param typed the text after the flag, for messages */
function checkValue(name: string, option: Option, value: unknown, typed?: unknown): unknown {
  const checked = bareSchema(option).safeParse(value);
  if (!checked.success)
    throw badOption(name, `expected ${describeExpected(option)}, got ${valueText(typed ?? value)}`);
  if (option.kind === 'threshold') return readRejectLimit(String(value));
  if (option.kind === 'duration') return readDuration(String(value));
  return option.kind === 'size' ? readSize(String(value)) : checked.data;
}

const SIZE = /^(\d+)\s*(KiB|MiB|GiB)?$/i;

function readSize(text: string): number {
  const [, number, unit = ''] = SIZE.exec(text) ?? [];
  return Number(number) * 1024 ** ['', 'kib', 'mib', 'gib'].indexOf(unit.toLowerCase());
}

function badOption(name: string, message: string): RowcastError {
  return new RowcastError('bad_option', `--${name}: ${message}`, {
    hint: 'Run rowcast COMMAND --help to list the options of a command.',
  });
}

export const camelCase = (name: string): string =>
  name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
