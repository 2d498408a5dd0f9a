import type { StoredKey } from '../../server/auth/key-file.ts';
import type { Principal } from '../../server/auth/principal.ts';

/**
 * Whether the holder of a key that is not bound to reports may revoke another one: only if it grants no more, and for no
 * longer. A damaged key grants nothing.
 */
export function mayRevoke(
  { hasScope, expires }: Principal,
  key: Pick<StoredKey, 'scopes' | 'expires'> | undefined,
): boolean {
  if (key === undefined) return true;
  const until = key.expires === undefined ? Number.POSITIVE_INFINITY : Date.parse(key.expires);
  return until <= expires && key.scopes.every(scope => hasScope(scope));
}
