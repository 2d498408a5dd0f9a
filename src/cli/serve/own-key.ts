import { isLoopback } from '../../base/contract/loopback.ts';
import { RowcastError } from '../../base/errors.ts';
import { sanitize } from '../../base/sanitize.ts';
import type { Environment } from '../../library/service/choose-service.ts';

/** Minimum length of a key that other hosts could try to guess: 32 random base64 characters are 192 bits. */
const MIN_KEY_LENGTH = 32;

/**
 * Reads the key from the environment, without surrounding white space, which clients remove too; undefined if not set.
 *
 * @param host where the service listens
 * @throws RowcastError `no_key` if a header cannot contain it (RFC 9110 section 5.5) or it has spaces; `short_key`
 */
export function readOwnKey({ ROWCAST_API_KEY: text = '' }: Environment, host: string): string | undefined {
  if (text === '') return undefined;
  const key = text.trim();
  if (/^[\x21-\x7e]+$/.test(key)) {
    if (key.length >= MIN_KEY_LENGTH || isLoopback(host)) return key;
    throw new RowcastError(
      'short_key',
      `ROWCAST_API_KEY has fewer than ${MIN_KEY_LENGTH} characters, which is too short for --host ${sanitize(host)}`,
      { hint: 'Set a long random key, for example from openssl rand -base64 32, or use rowcast keys add.' },
    );
  }
  throw new RowcastError('no_key', 'ROWCAST_API_KEY contains characters that are not allowed in an API key', {
    hint: 'Use printable ASCII without spaces, or unset it to have a key generated.',
  });
}
