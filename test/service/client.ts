/** A service to speak to, and the answers as they come. */
export interface Target {
  url: string;
  key: string;
}

export function get({ url, key }: Target, path: string): Promise<Response> {
  return fetch(url + path, { headers: { authorization: `ApiKey ${key}` } });
}

export function post({ url, key }: Target, path: string, body: unknown): Promise<Response> {
  return fetch(url + path, {
    method: 'POST',
    headers: { authorization: `ApiKey ${key}`, 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}
