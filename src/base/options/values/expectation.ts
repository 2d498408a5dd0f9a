import type * as z from 'zod';
import { sanitize } from '../../sanitize.ts';
import type { Option } from '../option.ts';
import { formatDuration } from './duration.ts';

/** What an option's value must be, for messages: `a whole number from 1 to 10000`. */
function describeExpected({ kind, choices, min, max, repeatable, orNone }: Option): string {
  const oneOf = choices && `one of ${choices.join(', ')}`;
  switch (kind) {
    case 'text':
      return oneOf ?? 'non-empty text';
    case 'path':
      return repeatable ? 'a path or a list of paths' : 'a path';
    case 'boolean':
      return 'true or false';
    case 'list':
      return 'a list of text values';
    case 'selection':
      return 'all, none or a list of names';
    case 'numbers':
      return `a mapping of names to numbers${rangeText(min, max)}`;
    case 'structure':
      return 'a mapping';
    case 'map':
      return `a mapping of names to ${oneOf ?? 'text values'}`;
    case 'threshold':
      return `a number of rows or a percentage, such as 100 or 0.5%${orNone ? ', or none' : ''}`;
    case 'integer':
      return `a whole number${rangeText(min, max)}`;
    case 'number':
      return `a number${rangeText(min, max)}`;
    case 'duration': {
      const range = rangeText(formatDuration(min ?? 0), max && formatDuration(max));
      return `a duration${range}, such as 500ms, 90s, 5m, 2h or 1d`;
    }
    case 'size':
      return `a number of bytes${rangeText(min, max)}, such as 65536, 64KiB or 1MiB`;
  }
}

/** What is wrong with an option's value; `given` is as the user wrote it. */
export function describeMismatch(option: Option, given: unknown): string {
  const message = `expected ${describeExpected(option)}, got ${expectedText(given)}`;
  const [, number, unit] = (option.kind === 'size' && /^\s*(\d+)\s*([kmg])b\s*$/i.exec(String(given))) || [];
  return unit === undefined
    ? message
    : `${message}, which may mean powers of 1000 or of 1024; did you mean ${number}${unit.toUpperCase()}iB?`;
}

function rangeText(min: number | string = 0, max?: number | string): string {
  return max === undefined ? `, ${min} or more` : ` from ${min} to ${max}`;
}

/**
 * What is wrong with a member of a definition, in plain words. The validator's own messages are for programmers.
 *
 * @param option the option that the member sets, if any
 */
export function describeIssue(issue: z.core.$ZodIssue, option: Option | undefined): string {
  if (issue.code === 'unrecognized_keys') return 'unknown key';
  if (issue.input === undefined) return 'required, but missing';
  const hasUnit = option?.kind === 'duration' || option?.kind === 'size';
  if (issue.code === 'invalid_format' && !hasUnit)
    return `${issue.message}; got ${expectedText(issue.input)}`;
  // Inside a list or a mapping only the type of the member is known; the expectation describes the whole option.
  const isOption = option !== undefined && issue.path.length <= 2;
  if (isOption) return describeMismatch(option, issue.input);
  if (issue.code === 'invalid_value')
    return `expected one of ${issue.values.join(', ')}, got ${expectedText(issue.input)}`;
  if (issue.code === 'custom') return `${issue.message}; got ${expectedText(issue.input)}`;
  if (issue.code !== 'invalid_type') return `not a valid value: ${expectedText(issue.input)}`;
  return `expected ${TYPES[issue.expected] ?? issue.expected}, got ${expectedText(issue.input)}`;
}

/** The validator's type names, in the words of YAML. */
const TYPES: Readonly<Record<string, string>> = {
  object: 'a mapping',
  record: 'a mapping',
  array: 'a list',
  string: 'text',
  boolean: 'true or false',
};

/** A value as given, shortened to fit in a message. */
export const expectedText = (value: unknown): string => sanitize(JSON.stringify(value) ?? 'nothing');
