import type { connectionOptions } from '../../base/options/service.ts';
import type { Values } from '../../base/options/values/resolve-options.ts';
import type { Given } from './choose-service.ts';

/**
 * The service that a program chooses, as if by flags. Of the environment only the key counts: no variable changes where
 * a program sends its rows, and the key of ROWCAST_URL is not sent elsewhere.
 */
export function givenService(
  { url, apiKeyFile, apiKeyEnv, allowHttp }: Values<typeof connectionOptions>,
  home: string,
): Given {
  const flags = { url, home, 'api-key-file': apiKeyFile, 'api-key-env': apiKeyEnv, 'allow-http': allowHttp };
  const { ROWCAST_URL: keyUrl, ...env } = process.env;
  return { flags, env, keyUrl };
}
