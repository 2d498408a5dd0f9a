import type { Option } from '../option.ts';

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
