import { resolve } from 'node:path';
import { RowcastError } from './errors.ts';

/** The scheme of a name such as `s3://bucket/key`; undefined for a path. `./s3://key` is a path. */
export const schemeOf = (name: string): string | undefined => /^([a-z][a-z0-9+.-]*):\/\//i.exec(name)?.[1];

/**
 * Checks that a URL has no part that may be a secret: names are shown, logged and kept.
 *
 * @throws RowcastError `usage`
 */
export function checkPublicUrl(name: string): void {
  const [shown, authority = '', rest = ''] = /^https?:\/\/([^/?#]*)([^?#]*)/i.exec(name) ?? [];
  if (shown === undefined || (!authority.includes('@') && !/[?#]/.test(name))) return;
  const plain = `${schemeOf(name)}://${authority.replace(/^.*@/, '')}${rest}`;
  throw new RowcastError('usage', `${plain}: a URL with a query or a user may hold a secret`, {
    hint: 'Put it into a variable whose name begins with ROWCAST_, and give --input-env NAME instead.',
  });
}

/** A path as one that does not depend on the working directory; `-` and URLs stay as they are. */
export const absolutePath = (name: string): string =>
  name === '-' || schemeOf(name) !== undefined ? name : resolve(name);

/**
 * Whether a host is the loopback interface of this machine: as a name, an address, or the host of a URL.
 * RFC 6761 section 6.3, RFC 1122 section 3.2.1.3, RFC 4291 section 2.5.3.
 */
export const isLoopback = (host: string): boolean =>
  /^(?:(?:.*\.)?localhost|127\.\d+\.\d+\.\d+|::1|\[::1\])$/i.test(host);

/** Whether a host stands for all addresses of this machine, as an address to listen on. */
export const isUnspecified = (host: string): boolean => /^(?:0\.0\.0\.0|::|\[::\])$/.test(host);
