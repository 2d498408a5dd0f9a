import { fileURLToPath } from 'node:url';
import { RowcastError } from '../../base/errors.ts';
import type { Options } from '../../base/options/option.ts';
import { describeMismatch } from '../../base/options/values/expectation.ts';
import { camelCase, resolveValues, type Values } from '../../base/options/values/resolve-options.ts';
import { schemaOf } from '../../base/options/values/value-schema.ts';
import { suggestOptions } from '../../base/other-words.ts';
import { sanitize } from '../../base/sanitize.ts';

/**
 * Validates options that a program gives, and fills in the defaults.
 *
 * @param others names that are not in the table
 * @throws RowcastError `bad_option`, naming the option
 */
export function readGiven<T extends Options>(
  options: T,
  given: object,
  others: readonly string[] = [],
): Values<T> {
  const names = new Map(Object.keys(options).map(name => [camelCase(name), name]));
  const defined: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(given)) {
    const name = names.get(key);
    const option = name === undefined ? undefined : options[name];
    if (value === undefined || others.includes(key)) continue;
    if (name === undefined || option === undefined) throw unknownOption(key, [...names.keys(), ...others]);
    if (!schemaOf(option).safeParse(value).success)
      throw new RowcastError('bad_option', `${key}: ${describeMismatch(option, value)}`);
    defined[name] = value;
  }
  return resolveValues(options, {}, defined);
}

/**
 * Checks that the options of a function are an object: JavaScript does not.
 *
 * @param needed names of the required ones
 * @throws RowcastError `bad_option`
 */
export function checkObject(name: string, given: unknown, needed: string): void {
  if (typeof given === 'object' && given !== null) return;
  throw new RowcastError('bad_option', `${name}: expected an object with the options ${needed}`);
}

/**
 * A path or URL of an option as a name.
 *
 * @throws RowcastError `bad_option`
 */
export function pathOf(option: string, given: unknown): string {
  if (given instanceof URL) return given.protocol === 'file:' ? fileURLToPath(given) : given.href;
  if (typeof given === 'string' && given !== '') return given;
  throw new RowcastError('bad_option', `${option}: expected a path, a URL or a stream`);
}

function unknownOption(key: string, names: readonly string[]): RowcastError {
  const near = suggestOptions(key, names);
  return new RowcastError('bad_option', `unknown option ${sanitize(JSON.stringify(key))}`, {
    ...(near.length > 0 && { hint: `Did you mean ${near.join(' or ')}?` }),
  });
}
