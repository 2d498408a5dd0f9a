/** Why a TLS handshake failed. */
export type HandshakeFailure = keyof typeof texts;

const texts = {
  plain_http: 'used plain HTTP',
  protocol: 'offered no accepted version or cipher',
  alert: 'rejected by the client, which may not trust the certificate',
  timeout: 'timed out',
  closed: 'disconnected',
  other: 'failed for another reason',
} as const;

// `Object.keys` is typed as string[].
export const handshakeFailures = Object.keys(texts) as HandshakeFailure[];

/**
 * Why the TLS handshake of a connection failed; undefined if something else did.
 *
 * @param error Node's error for the connection
 */
export function handshakeFailureOf({
  code = '',
  message,
}: NodeJS.ErrnoException): HandshakeFailure | undefined {
  if (code === 'ERR_TLS_HANDSHAKE_TIMEOUT') return 'timeout';
  // Node's message for a connection that ends during its handshake; afterwards the message differs.
  if (code === 'ECONNRESET') return message === 'socket hang up' ? 'closed' : undefined;
  if (!code.startsWith('ERR_SSL_')) return undefined;
  if (code === 'ERR_SSL_HTTP_REQUEST') return 'plain_http';
  if (code.includes('ALERT')) return 'alert';
  return /PROTOCOL|VERSION|CIPHER|SIGNATURE_ALGORITHM/.test(code) ? 'protocol' : 'other';
}

/** The log message for the failures since the previous one. */
export function describeHandshakes(counts: Partial<Record<HandshakeFailure, number>>): string {
  const parts = handshakeFailures.flatMap(failure => {
    const count = counts[failure];
    return count === undefined ? [] : [`${count} ${texts[failure]}`];
  });
  return `TLS handshakes failed: ${parts.join(', ')}`;
}
