import { join, resolve } from 'node:path';
import { type connectionOptions, homeOption } from '../../config/options/service.ts';
import { resolveValues, type Values } from '../../config/resolve-options.ts';
import { RowcastError } from '../../errors.ts';
import type { UsedFile } from '../../storage/local/used-file.ts';

export interface Environment {
  ROWCAST_URL?: string | undefined;
  ROWCAST_API_KEY?: string | undefined;
  ROWCAST_HOME?: string | undefined;
  [name: string]: string | undefined;
}

/** The URL that stands for the local reports. */
const LOCAL = 'local';

/** Where the service is, according to flags, definition and environment. */
export type Address = { kind: 'local'; home: string } | RemoteAddress;
export interface RemoteAddress {
  kind: 'remote';
  url: string;
  key: KeySource;
}

export type KeySource = { kind: 'file'; path: string } | { kind: 'environment'; name: string };

/** The variable with the key for a URL from a flag or the environment. */
export const DEFAULT_KEY = 'ROWCAST_API_KEY';

/** Variables that a definition may name: a definition from someone else must not send other secrets to its URL. */
const OWN_KEY = /^ROWCAST_[A-Z0-9_]+$/;

/** Flags and environment of a command. */
export interface Given {
  flags: Readonly<Record<string, unknown>>;
  env: Environment;
}

/**
 * The folder of the local reports and keys.
 *
 * @param defined the section of a definition, if there is one
 */
export function homeOf({ flags, env }: Given, defined: Readonly<Record<string, unknown>> = {}): string {
  const { home } = resolveValues(homeOption, flags);
  return resolve(home ?? (env.ROWCAST_HOME || String(defined.home ?? '.rowcast')));
}

/**
 * Chooses the service. The key in ROWCAST_API_KEY is sent only to a URL from a flag or the environment. A definition
 * with a URL names its own key, so that a definition from someone else cannot obtain that one.
 *
 * @param urlIsFlag whether the URL, if any, is from `--url` rather than a definition
 * @throws RowcastError `no_key`
 */
export function chooseService(
  values: Pick<Values<typeof connectionOptions>, 'url' | 'apiKeyFile' | 'apiKeyEnv'>,
  urlIsFlag: boolean,
  { env, home }: { env: Environment; home: string },
): Address {
  const url = values.url ?? (env.ROWCAST_URL || LOCAL);
  if (url === LOCAL) return { kind: 'local', home };
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

/** Files that a command reads to use a service: the key file, or the local reports. */
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
