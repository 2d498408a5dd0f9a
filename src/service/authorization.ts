import { createHash, timingSafeEqual } from 'node:crypto';

/**
 * Whether an Authorization header carries the key. Compared as hashes in constant time, so that neither the
 * key's length nor how much of it was right can be measured.
 */
export function keyChecker(key: string): (header: string | undefined) => boolean {
  const expected = digest(key);
  return header => {
    const given = /^ApiKey +(\S+) *$/i.exec(header ?? '')?.[1];
    return given !== undefined && timingSafeEqual(digest(given), expected);
  };
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
