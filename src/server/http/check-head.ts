import type { IncomingMessage } from 'node:http';
import { RequestError } from '../problems/problems.ts';

/** The most header lines of a request. Node would drop further ones silently, such as a second Host. */
const MAX_HEADERS = 2_000;

/**
 * What is wrong with the head of a request, apart from the host that it names. Servers that check heads need
 * `maxHeadersCount = 0`.
 */
export function headProblem({ rawHeaders, headers }: IncomingMessage): RequestError | undefined {
  if (rawHeaders.length > 2 * MAX_HEADERS)
    return new RequestError(
      'headers_too_large',
      `The request has more than ${MAX_HEADERS.toLocaleString('en-US')} headers.`,
    );
  const coding = headers['transfer-encoding']?.trim().toLowerCase();
  if (coding === undefined || coding === 'chunked') return undefined;
  // Node accepts other codings before `chunked`, but does not decode them (RFC 9112 section 6.1).
  return new RequestError(
    'unsupported_transfer_encoding',
    'The only transfer encoding is chunked; compress a body with Content-Encoding: gzip.',
  );
}
