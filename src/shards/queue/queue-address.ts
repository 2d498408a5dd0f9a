import { RowcastError } from '../../base/errors.ts';

/** Where a queue is. */
export interface QueueAddress {
  kind: 'redis' | 'postgres';
  /** With the password, if there is one. */
  url: string;
  /** For messages: without user, password and most parameters. */
  name: string;
  /** For the command line of another process that has the same environment. */
  flag: string;
}

const KINDS: Readonly<Record<string, QueueAddress['kind']>> = {
  'redis:': 'redis',
  'rediss:': 'redis',
  'postgres:': 'postgres',
  'postgresql:': 'postgres',
};

/** Parameters that say where a Unix socket is. */
const SOCKET_PARAMETERS = ['path', 'host'];

/** The environment variable of a URL with a password. */
export const QUEUE_VARIABLE = 'ROWCAST_QUEUE';

/**
 * The queue to use. A flag overrides the variable, but if both are of the same server, the flag needs no password.
 *
 * @param flag text after --queue; `none`: no queue, whatever the variable says
 * @param variable the value of `ROWCAST_QUEUE`
 * @returns undefined without a queue
 * @throws RowcastError `bad_option`
 */
export function chooseQueue(
  flag: string | undefined,
  variable: string | undefined,
): QueueAddress | undefined {
  if (flag === 'none') return undefined;
  if (flag === undefined) return variable ? readAddress(variable, QUEUE_VARIABLE) : undefined;
  const given = readAddress(flag, '--queue');
  if (hasPassword(flag))
    throw new RowcastError(
      'bad_option',
      '--queue: the URL has a password, which other users of this machine could see',
      {
        hint: `Set ${QUEUE_VARIABLE} to the URL with its password, and leave out --queue or give it the URL without.`,
      },
    );
  const known = variable ? readAddress(variable, QUEUE_VARIABLE) : undefined;
  if (known === undefined || identityOf(known) !== identityOf(given)) return given;
  const [user, knownUser] = [given, known].map(({ url }) => parseUrl(url)?.username);
  return user === '' || user === knownUser ? known : given;
}

/** @param where the flag or variable, for messages. @throws RowcastError `bad_option` that does not quote the text */
function readAddress(text: string, where: string): QueueAddress {
  const url = parseUrl(text);
  const kind = url && KINDS[url.protocol];
  if (url === undefined || kind === undefined)
    throw new RowcastError('bad_option', `${where}: expected redis://HOST:PORT or postgres://HOST/DATABASE`, {
      hint: 'rediss:// is Redis over TLS. A Unix socket is redis:///?path=/run/redis.sock or postgres:///DATABASE?host=/run/postgresql.',
    });
  const name = nameOf(url);
  return { kind, url: text, name, flag: hasPassword(text) ? name : text };
}

/** A URL with a user may have no host if a parameter says where the socket is. */
function parseUrl(text: string): URL | undefined {
  const whole = text.replace(/^(\w+:\/\/[^/]*@)\//, '$1localhost/');
  return URL.canParse(whole) ? new URL(whole) : undefined;
}

function nameOf(url: URL): string {
  const sockets = [...url.searchParams].filter(([name]) => SOCKET_PARAMETERS.includes(name));
  const shown = sockets.map(([name, value]) => `${name}=${value}`).join('&');
  return `${url.protocol}//${url.host}${url.pathname}${shown && `?${shown}`}`;
}

/** What a URL may leave out. */
const DEFAULTS = {
  redis: { port: '6379', path: '/0' },
  postgres: { port: '5432', path: '/' },
} as const satisfies Record<QueueAddress['kind'], object>;

/** A name that is the same for all spellings of an address. */
function identityOf({ kind, name }: QueueAddress): string {
  const { protocol, hostname, port, pathname, search } = new URL(name);
  const { port: defaultPort, path: defaultPath } = DEFAULTS[kind];
  const own = { host: hostname.toLowerCase(), port: port || defaultPort, search };
  const path = pathname.length > 1 ? pathname : defaultPath;
  return JSON.stringify({ ...own, kind, isTls: protocol === 'rediss:', path });
}

function hasPassword(text: string): boolean {
  const url = parseUrl(text);
  return (
    url !== undefined &&
    (url.password !== '' || [...url.searchParams.keys()].some(name => /password/i.test(name)))
  );
}
