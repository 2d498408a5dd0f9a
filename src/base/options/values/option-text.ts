import { isDeepStrictEqual } from 'node:util';
import type { Option, Options } from '../option.ts';
import type { RejectLimitOrNone } from './reject-limit.ts';
import { camelCase, resolveValues } from './resolve-options.ts';

/** What stands for a value in help, by the kind of the option. */
const PLACEHOLDERS: Readonly<Record<Option['kind'], string>> = {
  text: 'TEXT',
  path: 'FILE',
  threshold: 'N|N%',
  integer: 'N',
  number: 'X',
  duration: 'DURATION',
  size: 'SIZE',
  boolean: '',
  list: 'LIST',
  selection: 'all|none|LIST',
  map: 'MAP',
  numbers: 'MAP',
  structure: '',
};

/** The value of an option as help shows it, such as `SIZE` or `replace|fail|skip`; empty for a boolean. */
export function placeholderOf({ kind, choices, value, orNone }: Option): string {
  const placeholder = value ?? (kind === 'text' ? choices?.join('|') : undefined) ?? PLACEHOLDERS[kind];
  return orNone ? `${placeholder}|none` : placeholder;
}

/** The default of an option in words, if it has one. */
export function defaultTextOf({ defaultText, default: value }: Option): string | undefined {
  if (defaultText !== undefined) return defaultText;
  return value === undefined || value === false || Array.isArray(value) ? undefined : String(value);
}

/** An option's help with its default. */
export function describeWithDefault(option: Option): string {
  const fallback = defaultTextOf(option);
  return fallback === undefined ? option.describe : `${option.describe} (default: ${fallback})`;
}

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
