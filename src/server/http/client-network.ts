import { isIPv6 } from 'node:net';

/** One customer has a whole /64 of IPv6 addresses (RFC 6177). IPv4 addresses may be IPv4-mapped. */
export function networkOf(address: string): string {
  if (!isIPv6(address) || address.startsWith('::ffff:')) return address;
  const [head = '', tail] = address.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const groups = [...left, ...Array(Math.max(0, 8 - left.length - right.length)).fill('0'), ...right];
  return groups.slice(0, 4).join(':');
}

/** The addresses from which a proxy or a program on the same machine connects. */
const ownAddresses = ['127.0.0.1', '::1', '::ffff:127.0.0.1'];

/** Whether a client may be a proxy on the same machine, which connects for many others. */
export const isOwnAddress = (address: string | undefined): boolean =>
  address !== undefined && ownAddresses.includes(address);
