/** How a key is sent: as the prediction report API wants it, as a bearer token (RFC 6750), or not at all. */
export type Auth = 'apikey' | 'bearer' | 'none';

const schemes = { apikey: 'ApiKey', bearer: 'Bearer' } as const;

/** The headers that carry a key. */
export function authHeaders(auth: Auth, key: string | undefined): Readonly<Record<string, string>> {
  return auth === 'none' || key === undefined ? {} : { authorization: `${schemes[auth]} ${key}` };
}
