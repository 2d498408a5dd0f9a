import { BlockList, isIP } from 'node:net';
import { RowcastError } from '../../base/errors.ts';
import { isLoopback } from '../../base/scheme.ts';
import { redacted } from '../../client/base-url.ts';
import { type HttpProxy, nameOfProxy, readProxy } from '../../client/transport/http-proxy.ts';

/**
 * Checks the value of `--proxy`: `none`, `env`, or a URL without a password.
 *
 * @param name of the option, as whoever gave it calls it
 * @throws RowcastError `bad_option`
 */
export function checkProxy(choice: string, name: string): void {
  if (choice === 'none' || choice === 'env') return;
  const proxy = readProxy(choice);
  if (proxy === undefined)
    throw new RowcastError(
      'bad_option',
      `${name}: expected none, env or an http or https URL, got ${shown(choice)}`,
    );
  if (proxy.authorization !== undefined)
    throw new RowcastError(
      'bad_option',
      `${name}: a URL with user info is refused, because other users can see it: ${shown(choice)}`,
      {
        hint: 'Put the URL with user and password into HTTPS_PROXY, and use --proxy env.',
      },
    );
}

const shown = (text: string): string => redacted(text.includes('://') ? text : `http://${text}`);

/**
 * The proxy between here and a service, according to the value of `--proxy`.
 *
 * @param allowHttp whether a proxy of another host may see what is sent
 * @throws RowcastError `bad_option`, `insecure_url`
 */
export function proxyOf(
  choice: string | undefined,
  url: URL,
  { env, allowHttp }: ProxyOptions,
): HttpProxy | undefined {
  if (choice === undefined || choice === 'none') return undefined;
  const proxy = choice === 'env' ? proxyOfEnvironment(url, env) : readProxy(choice);
  if (proxy === undefined || url.protocol === 'https:' || allowHttp || isLoopback(proxy.hostname))
    return proxy;
  throw new RowcastError(
    'insecure_url',
    `requests would be sent unencrypted to the proxy ${nameOfProxy(proxy)}`,
    {
      hint: 'Use https, or --allow-http on a trusted network; hosts in NO_PROXY are reached without the proxy.',
    },
  );
}

type Variables = Readonly<Record<string, string | undefined>>;

export interface ProxyOptions {
  env: Variables;
  allowHttp: boolean;
}

/** As curl reads them, small letters first. Only HTTP_PROXY differs, which curl ignores for the sake of CGI scripts. */
function proxyOfEnvironment(url: URL, env: Variables): HttpProxy | undefined {
  if (isExempt(url, env.no_proxy || env.NO_PROXY)) return undefined;
  const names = url.protocol === 'https:' ? ['https_proxy', 'HTTPS_PROXY'] : ['http_proxy', 'HTTP_PROXY'];
  const name = names.find(name => env[name]);
  if (name === undefined) return undefined;
  const proxy = readProxy(env[name] ?? '');
  if (proxy !== undefined) return proxy;
  throw new RowcastError('bad_option', `the variable ${name} is not the http or https URL of a proxy`, {
    hint: 'Example: http://proxy.example.com:3128',
  });
}

/**
 * Whether NO_PROXY excepts a service from the proxy. As in curl and most programs it is a list of names, which stand
 * for their subdomains too, of addresses, ranges of addresses (`10.0.0.0/8`), or `*` for all. A port may follow a name.
 */
export function isExempt({ protocol, hostname, port }: URL, noProxy: string | undefined): boolean {
  const host = hostname.replace(/^\[|\]$/g, '').toLowerCase();
  const ownPort = port || (protocol === 'https:' ? '443' : '80');
  return (noProxy ?? '')
    .toLowerCase()
    .split(/[\s,]+/)
    .filter(entry => entry !== '')
    .some(entry => {
      if (entry === '*') return true;
      // An IPv6 address has colons of its own, unless it is in brackets.
      const [, name = entry, only = ownPort] = /^([^:]*|\[.*\]):(\d+)$/.exec(entry) ?? [];
      if (only !== ownPort) return false;
      return isIP(host) > 0 ? isAddressIn(host, name.replace(/^\[|\]$/g, '')) : isNameIn(host, name);
    });
}

/** `.example.com`, `*.example.com` and `example.com` mean the same. */
function isNameIn(host: string, name: string): boolean {
  const suffix = name.replace(/^\*?\./, '');
  return suffix !== '' && (host === suffix || host.endsWith(`.${suffix}`));
}

function isAddressIn(host: string, range: string): boolean {
  const [net = '', bits] = range.split('/');
  if (isIP(net) === 0 || isIP(net) !== isIP(host)) return false;
  const family = isIP(net) === 6 ? 'ipv6' : 'ipv4';
  const most = family === 'ipv6' ? 128 : 32;
  const prefix = bits === undefined ? most : Number(bits);
  if (!Number.isInteger(prefix) || prefix < 0 || prefix > most) return false;
  const list = new BlockList();
  list.addSubnet(net, prefix, family);
  return list.check(host, family);
}
