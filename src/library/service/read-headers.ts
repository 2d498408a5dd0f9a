import { RowcastError } from '../../base/errors.ts';
import { isHeaderValue } from '../../client/credentials.ts';
import type { Environment } from './choose-service.ts';

/**
 * The values of headers.
 *
 * @param variables by name of the header
 * @throws RowcastError `no_key`
 */
export function readHeaders(
  variables: Readonly<Record<string, string>>,
  env: Environment,
): Readonly<Record<string, string>> {
  const values = Object.entries(variables).map(([name, variable]) => {
    const value = (env[variable] ?? '').trim();
    if (isHeaderValue(value)) return [name, value];
    throw new RowcastError('no_key', `no value of the header ${name} in the variable ${variable}`, {
      hint: `Set ${variable} to printable ASCII.`,
    });
  });
  return Object.fromEntries(values);
}
