import { BlockList, isIP } from 'node:net';

/**
 * Whether NO_PROXY excepts a service from the proxy. As in curl and most programs it is a list of names, which stand for
 * their subdomains too, of addresses, ranges of addresses (`10.0.0.0/8`), or `*` for all. A port may follow a name.
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
