import { RowcastError } from '../base/errors.ts';
import { isLoopback } from '../base/scheme.ts';

/**
 * Checks the base URL of a service before anything is sent to it.
 *
 * @param insecure whether plain http to a host other than loopback is allowed
 * @param sent what would be sent there, for the message
 * @throws RowcastError `bad_url`, `insecure_url`
 */
export function readBaseUrl(text: string, insecure: boolean, sent = 'the API key'): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw new RowcastError('bad_url', `the service's URL is not an http or https URL: ${redacted(text)}`, {
      hint: 'Example: https://predictions.example.com',
    });
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
    throw new RowcastError(
      'bad_url',
      `the service's URL must not contain user info, a query or a fragment: ${redacted(text)}`,
      {
        hint: 'Put the key in ROWCAST_API_KEY or --api-key-file, never in a URL.',
      },
    );
  if (url.protocol === 'http:' && !isLoopback(url.hostname) && !insecure)
    throw new RowcastError('insecure_url', `${sent} would be sent unencrypted to ${redacted(text)}`, {
      hint: 'Use https, or --allow-http on a trusted network; for the url of a definition, allow-http: true next to it.',
    });
  url.pathname = url.pathname.replace(/\/+$/, '');
  return url;
}

/** A URL without user info, query and fragment, so that it can be logged. */
export function redacted(text: string): string {
  if (!URL.canParse(text)) return '(unreadable URL)';
  const url = new URL(text);
  if (url.origin === 'null') return `${url.protocol}…`;
  return `${url.origin}${url.pathname === '/' ? '' : url.pathname}`;
}
