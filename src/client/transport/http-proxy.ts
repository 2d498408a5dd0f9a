/** A proxy between here and a service. */
export interface HttpProxy {
  protocol: 'http:' | 'https:';
  /** A name or an address, without brackets. */
  hostname: string;
  port: number;
  /** The value of Proxy-Authorization (RFC 9110 section 11.7.2). */
  authorization?: string;
  /** The password, in all forms in which it could be repeated. */
  secrets: readonly string[];
}

const PORTS = { 'http:': 80, 'https:': 443 } as const;

/**
 * A proxy from its URL, or from `HOST:PORT` as variables often have it.
 *
 * @returns undefined if it is neither http nor https, or names more than a host
 */
export function readProxy(text: string): HttpProxy | undefined {
  const full = text.includes('://') ? text : `http://${text}`;
  const url = URL.canParse(full) ? new URL(full) : undefined;
  if (url === undefined || url.pathname !== '/' || url.search !== '' || url.hash !== '') return undefined;
  const { protocol, username, password } = url;
  if (protocol !== 'http:' && protocol !== 'https:') return undefined;
  const place = {
    protocol: protocol as HttpProxy['protocol'], // compared above
    hostname: url.hostname.replace(/^\[|\]$/g, ''),
    port: Number(url.port || PORTS[protocol]),
  };
  if (username === '' && password === '') return { ...place, secrets: [] };
  const plain = decoded(password);
  const both = Buffer.from(`${decoded(username)}:${plain}`).toString('base64');
  return { ...place, authorization: `Basic ${both}`, secrets: [both, password, plain] };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** A proxy for messages, without user and password. */
export const nameOfProxy = ({ protocol, hostname, port }: HttpProxy): string =>
  `${protocol}//${hostname.includes(':') ? `[${hostname}]` : hostname}:${port}`;
