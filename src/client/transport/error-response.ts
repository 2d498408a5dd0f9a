import type { RowFault } from '../../scoring/failures/call-error.ts';

/** What the body of an error says. */
export interface Problem {
  /** A stable name, in snake_case. */
  code?: string | undefined;
  /** A sentence for people, or the whole text. */
  detail: string;
  /** The rows at fault, if the service names them. */
  rows?: readonly RowFault[] | undefined;
  /** The largest number of rows that a request may have, if the service says that it was too large. */
  maxRows?: number | undefined;
  /** The status that the model itself gave, if a server in front of it responds with another one. */
  status?: number | undefined;
  /** The status that says what happened, if the server itself responds with another one. */
  meant?: number | undefined;
}

/** The hint for a proxy that wants to know who asks. */
export const PROXY_ASKS =
  'Put user and password of the proxy into the URL in HTTPS_PROXY or HTTP_PROXY, and use --proxy env.';

/**
 * A hint for the user, if there is one for this status and problem code.
 *
 * @param advice what to check if the service does not let a request in
 */
export function hintOfStatus(
  status: number,
  { code, advice }: { code: string; advice: string },
): string | undefined {
  if (status === 401) return `${advice}, and --auth.`;
  if (status === 403) return `${advice}.`;
  if (status === 407) return PROXY_ASKS;
  if (status === 404) return 'Check the report and the URL.';
  // A record or header that is too large does not depend on the batch size.
  if (code === 'record_too_long' || code === 'too_many_columns') return undefined;
  if (status === 413) return 'Use a smaller --batch-rows or --batch-bytes.';
  if (status >= 300 && status < 400)
    return 'Redirects are not followed, to protect the key: give the final URL.';
  return undefined;
}

/**
 * Parses a Retry-After header, a number of seconds or a date (RFC 9110 section 10.2.3).
 *
 * @returns seconds; undefined if the header is invalid
 */
export function readRetryAfter(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d+$/.test(header.trim())) return Number(header);
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, (date - now) / 1000);
}
