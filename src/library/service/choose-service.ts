import { join, resolve } from 'node:path';
import {
  type Auth,
  type CloudAuth,
  defaultProtocol,
  isOfCloud,
  type ProtocolName,
} from '../../base/contract/protocol-names.ts';
import { RowcastError } from '../../base/errors.ts';
import { connectionOptions, homeOption, protocolOption } from '../../base/options/service.ts';
import { resolveValues, type Values } from '../../base/options/values/resolve-options.ts';
import { defaultAuth } from '../../client/protocols/described/descriptions.ts';
import { LOCAL } from '../../scoring/scorer.ts';
import type { UsedFile } from '../../storage/target.ts';
import {
  accessFiles,
  DEFAULT_KEY,
  flagsOfAccess,
  isOwnVariable,
  isVariableOfDefinition,
  type ServiceAccess,
  serviceAccessOf,
} from './access.ts';

export interface Environment {
  ROWCAST_URL?: string | undefined;
  ROWCAST_API_KEY?: string | undefined;
  ROWCAST_HOME?: string | undefined;
  [name: string]: string | undefined;
}

/** Where the service is, according to flags, environment and definition. */
export type Address = { kind: 'local'; home: string } | RemoteAddress;
export interface RemoteAddress extends ServiceAccess {
  kind: 'remote';
  url: string;
  /** Undefined if requests are sent without a key. */
  key: KeySource | undefined;
  /** Whether requests may be sent to another host without encryption. */
  allowHttp: boolean;
}

export type KeySource =
  | { kind: 'file'; path: string }
  | { kind: 'environment'; name: string }
  /** What the tools of a cloud find on this machine. */
  | { kind: 'cloud'; auth: CloudAuth };

/** Options, or keys of a definition, by name. */
export type Section = Readonly<Record<string, unknown>>;

/** Flags, environment and definition of a command. */
export interface Given {
  flags: Section;
  env: Environment;
  /** The `score` section of a definition, or its `train` section for what trains; flags override it. */
  defined?: Section | undefined;
  /** The URL that ROWCAST_API_KEY is for, if not the ROWCAST_URL of `env`. */
  keyUrl?: string | undefined;
}

/** The folder of the local reports and keys. */
export function homeOf({ flags, env, defined }: Given): string {
  const { home } = resolveValues(homeOption, flags);
  return resolve(home ?? (env.ROWCAST_HOME || String(defined?.home ?? '.rowcast')));
}

type ConnectionValues = Values<typeof connectionOptions>;

/** The URL, and the options that come from where it comes from. */
export interface ServiceConnection {
  url: string;
  /** Whether it is that of a definition. */
  isDefined: boolean;
  values: ConnectionValues;
}

/**
 * Flags override the environment, which overrides the definition. The certificate authority and the proxy of a
 * definition count for its own URL only: the author of a definition could otherwise read what is sent to another
 * service.
 */
export function connectionOf({ flags, env, defined = {} }: Given): ServiceConnection {
  const { auth } = defined;
  const given = resolveValues(connectionOptions, flags, auth === undefined ? {} : { auth });
  const url = given.url ?? (env.ROWCAST_URL || undefined);
  if (url !== undefined || defined.url === undefined)
    return { url: url ?? LOCAL, isDefined: false, values: given };
  const anywhere = Object.fromEntries(ANYWHERE.map(name => [name, flags[name]]));
  const values = resolveValues(connectionOptions, anywhere, defined);
  return { url: values.url ?? LOCAL, isDefined: true, values };
}

/**
 * Flags that apply to the URL of a definition too, because they send no secret to it, or name the host that gets it.
 */
const ANYWHERE = ['auth', 'auth-host', 'ca-file', 'proxy'];

/** Flags with secrets, or about them: they are for a URL from a flag or the environment. */
const WITH_URL = ['api-key-file', 'api-key-env', 'allow-http', 'header-env', 'client-cert', 'client-key'];

/**
 * Chooses the service. Its URL and its secrets come from the same place, so that none is sent to a service it is not
 * meant for: a definition with a URL names its own key, and its key is sent to no other URL. A key file on the command
 * line is also for ROWCAST_URL, and ROWCAST_API_KEY also for a URL on the command line, unless ROWCAST_URL is that of
 * another service.
 *
 * @throws RowcastError `no_key`, `usage`, `bad_option`
 */
export function chooseService(given: Given): Address {
  const { url, isDefined, values } = connectionOf(given);
  if (url === LOCAL) return { kind: 'local', home: homeOf(given) };
  if (isDefined) checkFlags(given);
  const { protocol } = resolveValues(protocolOption, given.flags, given.defined);
  const { auth = defaultAuth(protocol), allowHttp } = values;
  if (isDefined && isOfCloud(auth)) checkWay(auth, given);
  const access = serviceAccessOf(values, auth, isDefined);
  return { kind: 'remote', url, key: keyOf(given, auth, { url, isDefined, values }), allowHttp, ...access };
}

function keyOf(
  given: Given,
  auth: Auth,
  { url, isDefined, values }: ServiceConnection,
): KeySource | undefined {
  const { apiKeyFile, apiKeyEnv } = values;
  const isNamed = apiKeyFile !== undefined || apiKeyEnv !== undefined;
  if (isOfCloud(auth)) {
    if (!isNamed) return { kind: 'cloud', auth };
    throw new RowcastError(
      'usage',
      `a key is named, but --auth ${auth} uses what the tools of the cloud find here`,
      {
        hint: 'Leave the key out, or say how it is sent: --auth bearer, or --auth apikey.',
      },
    );
  }
  if (auth === 'none') {
    if (!isNamed) return undefined;
    throw new RowcastError(
      'usage',
      values.auth === undefined
        ? 'a key is named, but requests of this protocol are usually sent without one'
        : 'a key is named, but with --auth none requests are sent without one',
      values.auth === undefined ? { hint: 'Say how it is sent: --auth bearer, or --auth apikey.' } : {},
    );
  }
  if (apiKeyFile !== undefined) return { kind: 'file', path: apiKeyFile };
  const name = apiKeyEnv ?? DEFAULT_KEY;
  if (isDefined && !isVariableOfDefinition(name))
    throw new RowcastError('no_key', 'a definition with a url must also name its key', {
      hint: `Next to the url, add auth: none if the service needs no key; or api-key-file; or api-key-env with a name that begins with ROWCAST_ and is not ${DEFAULT_KEY}, which needs --trust-definition. ${DEFAULT_KEY} is for a url from --url or ROWCAST_URL.`,
    });
  if (!isOwnVariable(name))
    throw new RowcastError('bad_option', `--api-key-env: the name must begin with ROWCAST_, got "${name}"`);
  if (apiKeyEnv === undefined && isElsewhere(url, given.keyUrl ?? given.env.ROWCAST_URL))
    throw new RowcastError('no_key', `${DEFAULT_KEY} is the key of ROWCAST_URL, which is another service`, {
      hint: 'Name the key of this service with --api-key-file or --api-key-env, or unset ROWCAST_URL.',
    });
  return { kind: 'environment', name };
}

/** Members of a definition that decide who can read what is sent to its url. */
const WAY = ['proxy', 'ca-file', 'allow-http'] as const;

/**
 * Whoever reads the credentials that a cloud gives this machine can use them, so a definition does not choose the way by
 * which they are sent.
 *
 * @throws RowcastError `usage`
 */
function checkWay(auth: CloudAuth, { flags, defined = {} }: Given): void {
  const isSafe = (value: unknown): boolean =>
    value === undefined || value === false || value === 'none' || value === 'env';
  const name = WAY.find(own => flags[own] === undefined && !isSafe(defined[own]));
  if (name === undefined) return;
  throw new RowcastError('usage', `service.${name}: a definition cannot have it with auth ${auth}`, {
    hint:
      name === 'allow-http'
        ? 'Credentials of a cloud are sent over https only.'
        : `Give it as a flag: --${name}. It decides who can read the credentials that this machine has.`,
  });
}

/** @throws RowcastError `usage` if a flag would apply to the URL of a definition */
function checkFlags({ flags }: Given): void {
  const flag = WITH_URL.find(name => flags[name] !== undefined && flags[name] !== false);
  if (flag === undefined) return;
  throw new RowcastError('usage', `--${flag} does not apply to the url of a definition`, {
    hint: `Give --url too, or put ${flag} next to the url in the definition.`,
  });
}

function isElsewhere(url: string, other: string | undefined): boolean {
  if (!other || other === LOCAL || !URL.canParse(url) || !URL.canParse(other)) return false;
  return new URL(url).origin !== new URL(other).origin;
}

/** The flags that choose this service in another command, unless its environment does. */
export function flagsOfAddress(address: Address, env: Environment): string[] {
  if (address.kind === 'local') {
    const isLocal = (env.ROWCAST_URL || LOCAL) === LOCAL;
    const isDefault = address.home === resolve(env.ROWCAST_HOME || '.rowcast');
    return [...(isLocal ? [] : ['--url', LOCAL]), ...(isDefault ? [] : ['--home', address.home])];
  }
  const { url, key, allowHttp } = address;
  const file = key?.kind === 'file' ? ['--api-key-file', key.path] : [];
  const variable = key?.kind === 'environment' && key.name !== DEFAULT_KEY ? ['--api-key-env', key.name] : [];
  return [
    ...(url === env.ROWCAST_URL ? [] : ['--url', url]),
    ...file,
    ...variable,
    ...flagsOfAccess(address),
    ...(allowHttp ? ['--allow-http'] : []),
  ];
}

/** Files that a command reads to use a service: those with its secrets, or the local reports. */
export function serviceFiles(given: Given): UsedFile[] {
  const { url, values } = connectionOf(given);
  if (url === LOCAL) {
    const at = join(homeOf(given), 'reports');
    return [{ what: 'a file of the local reports', option: '', at, isFolder: true }];
  }
  const { apiKeyFile: at } = values;
  const key = at === undefined ? [] : [{ what: 'the API key file', option: '--api-key-file', at }];
  return [...key, ...accessFiles(values)];
}

/**
 * Refuses a protocol for what only the prediction report API has.
 *
 * @param what the subject of the message, such as the name of a command
 * @throws RowcastError `usage`
 */
export function onlyReports(protocol: ProtocolName, what: string): void {
  if (protocol === defaultProtocol) return;
  throw new RowcastError(
    'usage',
    `${what} works only with the protocol ${defaultProtocol}, not with ${protocol}`,
    {
      hint: `Services of the protocol ${protocol} have nothing like it. score, plan and predict work with every protocol.`,
    },
  );
}

/** What a protocol other than the default one needs. */
export const noService = (protocol: ProtocolName): RowcastError =>
  new RowcastError('usage', `the protocol ${protocol} needs a server; give its --url`, {
    hint: 'Without a URL, the reports of this machine predict.',
  });
