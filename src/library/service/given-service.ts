import { connectionOptions } from '../../base/options/service.ts';
import { camelCase, type Values } from '../../base/options/values/resolve-options.ts';
import type { Given } from './choose-service.ts';

/**
 * The service that a program chooses, as if by flags. Of the environment only the key counts: no variable changes where
 * a program sends its rows, and the key of ROWCAST_URL is not sent elsewhere.
 */
export function givenService(values: Values<typeof connectionOptions>, home: string): Given {
  const all: Readonly<Record<string, unknown>> = values;
  const flags = Object.keys(connectionOptions).map(name => [name, all[camelCase(name)]] as const);
  const { ROWCAST_URL: keyUrl, ...env } = process.env;
  return { flags: { home, ...Object.fromEntries(flags) }, env, keyUrl };
}
