import type { Auth } from '../base/contract/auth-names.ts';

const schemes: Readonly<Partial<Record<Auth, string>>> = { apikey: 'ApiKey', bearer: 'Bearer' };

/** The header that carries a key: as the prediction report API wants it, or as a bearer token (RFC 6750). */
export function authHeaders(auth: Auth, key: string | undefined): Readonly<Record<string, string>> {
  const { [auth]: scheme } = schemes;
  return scheme === undefined || key === undefined ? {} : { authorization: `${scheme} ${key}` };
}
