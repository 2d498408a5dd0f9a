/** Why a TLS handshake failed. */
export type HandshakeFailure = keyof typeof texts;

const texts = {
  plain_http: 'spoke plain http',
  protocol: 'offered no version or cipher that is accepted',
  alert: 'were refused by the client, which may not trust the certificate',
  timeout: 'took too long',
  closed: 'were broken off',
  other: 'failed otherwise',
} as const;

// `Object.keys` says no more than string.
export const handshakeFailures = Object.keys(texts) as HandshakeFailure[];

/**
 * Why a connection failed, if TLS did.
 *
 * @param error what Node tells of the connection
 */
export function handshakeFailureOf({
  code = '',
  message,
}: NodeJS.ErrnoException): HandshakeFailure | undefined {
  if (code === 'ERR_TLS_HANDSHAKE_TIMEOUT') return 'timeout';
  // Node's words for a connection that ends before its handshake does; of later ones it says something else.
  if (code === 'ECONNRESET') return message === 'socket hang up' ? 'closed' : undefined;
  if (!code.startsWith('ERR_SSL_')) return undefined;
  if (code === 'ERR_SSL_HTTP_REQUEST') return 'plain_http';
  if (code.includes('ALERT')) return 'alert';
  return /PROTOCOL|VERSION|CIPHER|SIGNATURE_ALGORITHM/.test(code) ? 'protocol' : 'other';
}

/** For the log: the failures since its last line. */
export function describeHandshakes(counts: Partial<Record<HandshakeFailure, number>>): string {
  const parts = handshakeFailures.flatMap(failure => {
    const count = counts[failure];
    return count === undefined ? [] : [`${count} ${texts[failure]}`];
  });
  return `TLS handshakes failed: ${parts.join(', ')}`;
}
