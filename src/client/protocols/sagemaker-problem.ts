import { jsonValue } from '../../base/json-value.ts';
import type { Headers } from '../pacing/rate-limit-headers.ts';
import type { Problem } from '../transport/error-response.ts';
import { isObject } from './is-object.ts';
import type { Protocol } from './protocol.ts';

/**
 * What errors of AWS mean: many have the status 400, whatever they are
 * (docs.aws.amazon.com/sagemaker/latest/APIReference/CommonErrors.html).
 */
const statuses: Readonly<Record<string, number>> = {
  ThrottlingException: 429,
  Throttling: 429,
  TooManyRequestsException: 429,
  ModelNotReadyException: 429,
  // Other credentials may do.
  ExpiredToken: 401,
  ExpiredTokenException: 401,
  AccessDenied: 403,
  AccessDeniedException: 403,
  IncompleteSignature: 403,
  InvalidClientTokenId: 403,
  InvalidSignatureException: 403,
  MissingAuthenticationToken: 403,
  MissingAuthenticationTokenException: 403,
  NotAuthorized: 403,
  OptInRequired: 403,
  RequestExpired: 403,
  SignatureDoesNotMatch: 403,
  UnrecognizedClientException: 403,
};

/** A protocol whose requests go through AWS's front, which has errors of its own. */
export const onSageMaker = (protocol: Protocol): Protocol => ({
  ...protocol,
  problemOf(status, body, headers) {
    const problem = protocol.problemOf(status, body, headers);
    const parsed = parse(body);
    // The container did not respond in time.
    if (parsed.OriginalStatusCode === 0) return { ...problem, status: 504 };
    return { ...problem, meant: meantBy(parsed, headers, problem) };
  },
});

function meantBy(
  parsed: Readonly<Record<string, unknown>>,
  headers: Headers,
  { detail }: Problem,
): number | undefined {
  const type = [headers['x-amzn-errortype']].flat()[0] ?? parsed.__type ?? parsed.code ?? parsed.ErrorCode;
  // A type may be preceded by a namespace, and followed by an address.
  const [, name = ''] = /^(?:.*#)?(\w+)/.exec(String(type)) ?? [];
  if (name === 'ValidationError' && /^Endpoint .* not found/.test(detail)) return 404;
  return statuses[name];
}

function parse(body: string): Readonly<Record<string, unknown>> {
  const parsed = jsonValue(body);
  return isObject(parsed) ? parsed : {};
}
