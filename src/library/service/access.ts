import { type Auth, isOfCloud } from '../../base/contract/protocol-names.ts';
import { RowcastError } from '../../base/errors.ts';
import type { connectionOptions } from '../../base/options/service.ts';
import type { Values } from '../../base/options/values/resolve-options.ts';
import { sanitize } from '../../base/sanitize.ts';
import { writeRow } from '../../base/write-row.ts';
import { headerFault } from '../../client/credentials.ts';
import type { UsedFile } from '../../storage/target.ts';
import { checkProxy } from './proxy-of.ts';

/** How a service is reached, besides its URL and its key. It holds no secrets, only where they are. */
export interface ServiceAccess {
  /** How the key is sent, unless as the protocol has it. */
  auth?: Auth;
  /** Another host that may get what identifies this machine to a cloud. */
  authHost?: string;
  /** The variables with the values of more headers, by name in lower case. */
  headers?: Readonly<Record<string, string>>;
  tls?: TlsFiles;
  /** `env` or a URL. */
  proxy?: string;
}

/** PEM files. */
export interface TlsFiles {
  ca?: string;
  /** The certificate that shows who asks, and its private key. */
  client?: { cert: string; key: string };
}

type ConnectionValues = Values<typeof connectionOptions>;

/**
 * @param auth how the key is sent
 * @param isDefined whether the values are those of a definition
 * @throws RowcastError `bad_option`, `usage`
 */
export function serviceAccessOf(values: ConnectionValues, auth: Auth, isDefined: boolean): ServiceAccess {
  const { headerEnv = {}, proxy } = values;
  const tls = tlsFilesOf(values);
  if (values.authHost !== undefined && !isOfCloud(auth)) throw noCloud(auth);
  checkProxy(proxy, nameIn('proxy', isDefined));
  return {
    ...(values.auth !== undefined && { auth: values.auth }),
    ...(values.authHost !== undefined && { authHost: values.authHost }),
    ...(Object.keys(headerEnv).length > 0 && { headers: variablesOf(headerEnv, auth, isDefined) }),
    ...(tls && { tls }),
    ...(proxy !== 'none' && { proxy }),
  };
}

const noCloud = (auth: Auth): RowcastError =>
  new RowcastError('usage', `--auth-host has no effect with --auth ${auth}`, {
    hint: 'It is for --auth google, azure and sigv4, whose secrets are sent only to hosts of the cloud.',
  });

function variablesOf(
  headerEnv: Readonly<Record<string, string>>,
  auth: Auth,
  isDefined: boolean,
): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  const refused = (message: string): RowcastError =>
    new RowcastError('bad_option', `${nameIn('header-env', isDefined)}: ${message}`, {
      hint: `Example: ${isDefined ? 'header-env: { X-Token: ROWCAST_TOKEN }' : '--header-env X-Token=ROWCAST_TOKEN'}`,
    });
  for (const [name, variable] of Object.entries(headerEnv)) {
    const fault = headerFault(name, auth);
    if (fault !== undefined) throw refused(`"${sanitize(name)}" ${fault}`);
    if (Object.hasOwn(headers, name.toLowerCase())) throw refused(`the header ${name} is given twice`);
    if (!isOwnVariable(variable))
      throw refused(`the name of the variable must begin with ROWCAST_, got "${sanitize(variable)}"`);
    if (isDefined && !isVariableOfDefinition(variable))
      throw refused(`the url of a definition gets no value of ${variable}; use another variable`);
    headers[name.toLowerCase()] = variable;
  }
  return headers;
}

/** An option as whoever gave it calls it. */
const nameIn = (option: string, isDefined: boolean): string => (isDefined ? option : `--${option}`);

function tlsFilesOf({
  caFile: ca,
  clientCert: cert,
  clientKey: key,
}: ConnectionValues): TlsFiles | undefined {
  if ((cert === undefined) !== (key === undefined))
    throw new RowcastError('usage', '--client-cert and --client-key must be given together', {
      hint: 'If one file holds both, name it twice.',
    });
  if (ca === undefined && cert === undefined) return undefined;
  return {
    ...(ca !== undefined && { ca }),
    ...(cert !== undefined && key !== undefined && { client: { cert, key } }),
  };
}

/** The flags that give the same access. */
export function flagsOfAccess({ auth, authHost, headers, tls, proxy }: ServiceAccess): string[] {
  const given = (name: string, value: string | undefined): string[] =>
    value === undefined ? [] : [`--${name}`, value];
  const map = headers && Object.entries(headers).map(([name, variable]) => `${name}=${variable}`);
  return [
    ...given('auth', auth),
    ...given('auth-host', authHost),
    ...given('header-env', map && writeRow(map).slice(0, -1)),
    ...given('client-cert', tls?.client?.cert),
    ...given('client-key', tls?.client?.key),
    ...given('ca-file', tls?.ca),
    ...given('proxy', proxy),
  ];
}

/** The files that are read to reach a service. */
export function accessFiles({ clientCert, clientKey, caFile }: ConnectionValues): UsedFile[] {
  const files = [
    ['the client certificate', '--client-cert', clientCert],
    ["the client certificate's key", '--client-key', clientKey],
    ['the CA file', '--ca-file', caFile],
  ] as const;
  return files.flatMap(([what, option, at]) => (at === undefined ? [] : [{ what, option, at }]));
}

/** The variable with the key for a URL from a flag or the environment. */
export const DEFAULT_KEY = 'ROWCAST_API_KEY';

/** Variables that hold secrets of a command, which are not for the service of a definition. */
const OF_COMMANDS: readonly string[] = [DEFAULT_KEY, 'ROWCAST_QUEUE'];

/** Whether a variable may be named as holding a secret of a service: no other program's secrets may be sent there. */
export const isOwnVariable = (name: string): boolean => /^ROWCAST_[A-Z0-9_]+$/.test(name);

/** Whether a definition, which may be from someone else, may name a variable as holding a secret of its service. */
export const isVariableOfDefinition = (name: string): boolean =>
  isOwnVariable(name) && !OF_COMMANDS.includes(name);
