import { join, resolve } from 'node:path';
import { type connectionOptions, homeOption } from '../config/options/service.ts';
import { resolveValues, type Values } from '../config/resolve-options.ts';
import { RowcastError } from '../errors.ts';
import type { UsedFile } from '../storage/local/used-file.ts';

export interface Environment {
  ROWCAST_URL?: string | undefined;
  ROWCAST_API_KEY?: string | undefined;
  ROWCAST_HOME?: string | undefined;
  [name: string]: string | undefined;
}

/** The URL that stands for the local reports. */
const LOCAL = 'local';

/** Where a call's service is, decided from flags, definition and environment. */
export type Address = { kind: 'embedded'; home: string } | { kind: 'remote'; url: string; key: KeySource };

export type KeySource = { kind: 'file'; path: string } | { kind: 'environment'; name: string };

/** The environment's key, for a URL from flag or environment. */
export const DEFAULT_KEY = 'ROWCAST_API_KEY';

/** What a definition may name: a file from elsewhere must not send any secret of the environment to its URL. */
const OWN_KEY = /^ROWCAST_[A-Z0-9_]+$/;

/** What a command line and its environment say. */
export interface Given {
  flags: Readonly<Record<string, unknown>>;
  env: Environment;
}

/**
 * Folder of the local reports and keys.
 *
 * @param defined the section of a definition, if there is one
 */
export function homeOf({ flags, env }: Given, defined: Readonly<Record<string, unknown>> = {}): string {
  const { home } = resolveValues(homeOption, flags);
  return resolve(home ?? (env.ROWCAST_HOME || String(defined.home ?? '.rowcast')));
}

/**
 * Which service answers. The environment's key goes only to a URL from flag or environment: a definition that
 * has a URL names its own key, so that a file from elsewhere cannot send the key there.
 *
 * @param urlIsFlag whether the URL, if any, is that of `--url` and not a definition's
 * @throws RowcastError `no_key`
 */
export function chooseService(
  values: Pick<Values<typeof connectionOptions>, 'url' | 'apiKeyFile' | 'apiKeyEnv'>,
  urlIsFlag: boolean,
  { env, home }: { env: Environment; home: string },
): Address {
  const url = values.url ?? (env.ROWCAST_URL || LOCAL);
  if (url === LOCAL) return { kind: 'embedded', home };
  if (values.apiKeyFile !== undefined)
    return { kind: 'remote', url, key: { kind: 'file', path: values.apiKeyFile } };
  const isDefined = values.url !== undefined && !urlIsFlag;
  const name = values.apiKeyEnv ?? DEFAULT_KEY;
  if (!OWN_KEY.test(name) || (isDefined && name === DEFAULT_KEY))
    throw new RowcastError('no_key', 'a definition with a url must also name its key', {
      hint: `Add api-key-file next to the url, or api-key-env with a name that begins with ROWCAST_ and is not ${DEFAULT_KEY}.`,
    });
  return { kind: 'remote', url, key: { kind: 'environment', name } };
}

/** Files that are read for a service: its key's, and the reports of the embedded one. */
export function serviceFiles(
  { url, apiKeyFile }: Pick<Values<typeof connectionOptions>, 'url' | 'apiKeyFile'>,
  { env, home }: { env: Environment; home: string },
): UsedFile[] {
  const key = { what: 'the API key file', option: '--api-key-file' };
  const reports = { what: 'a file of the local reports', option: '' };
  return [
    ...(apiKeyFile === undefined ? [] : [{ ...key, at: apiKeyFile }]),
    ...((url ?? (env.ROWCAST_URL || LOCAL)) === LOCAL
      ? [{ ...reports, at: join(home, 'reports'), isFolder: true }]
      : []),
  ];
}
