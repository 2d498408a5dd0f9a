import {
  failureOfConnection,
  failureOfStatus,
  StoreError,
  type StoreFailure,
} from '../../objects/store-error.ts';

/** Errors of S3 whose status does not say what they mean. */
const FAILURES: Readonly<Record<string, StoreFailure>> = {
  NoSuchBucket: 'no bucket',
  NoSuchUpload: 'missing',
  InvalidPart: 'missing',
  ExpiredToken: 'expired',
  ExpiredTokenException: 'expired',
  TokenRefreshRequired: 'expired',
  RequestTimeTooSkewed: 'unavailable',
  RequestTimeout: 'unavailable',
  SlowDown: 'unavailable',
  // Two conditional writes at once (409): one of them is made again.
  ConditionalRequestConflict: 'unavailable',
  OperationAborted: 'unavailable',
  // The bytes were changed on their way.
  BadDigest: 'unavailable',
  XAmzContentSHA256Mismatch: 'unavailable',
  InvalidDigest: 'unavailable',
  CredentialsProviderError: 'no credentials',
};

/** An error of the client; a redirect to another host has no status that can succeed. */
export function failS3(error: unknown): never {
  if (error instanceof StoreError) throw error;
  const {
    name = '',
    message = String(error),
    $metadata,
    code,
  } = error as Partial<Error> & {
    $metadata?: { httpStatusCode?: number };
    code?: string;
  }; // as the client documents its errors
  const status = $metadata?.httpStatusCode;
  const known = Object.hasOwn(FAILURES, name) ? FAILURES[name] : undefined;
  const isLocal = status === undefined && code === undefined && error instanceof TypeError;
  const failure =
    known ??
    (isLocal || /region is missing/i.test(message)
      ? 'refused'
      : status === undefined
        ? failureOfConnection(error)
        : failureOfStatus(status));
  const said = message === '' || message === 'UnknownError' ? `HTTP ${status ?? 'error'}` : message;
  const text =
    /^[A-Za-z]+$/.test(name) && name !== 'Error' && !said.includes(name) ? `${name}: ${said}` : said;
  throw new StoreError(failure, text.replace(/\s+/g, ' '), error);
}
