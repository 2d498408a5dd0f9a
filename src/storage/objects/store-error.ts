import { type Peer, permanentErrorOf } from '../../base/connection-error.ts';
import { RowcastError } from '../../base/errors.ts';
import { Interrupted } from '../../base/interrupted.ts';

/**
 * What a failed request to a store means:
 *
 * - `missing`: there is no such object, or no such upload
 * - `no bucket`: there is no such bucket or container
 * - `changed`: a condition does not hold, because the object has another version
 * - `denied`: the credentials do not allow it
 * - `no credentials`: none were found
 * - `expired`: the credentials were valid once
 * - `unreachable`: no connection can be made, whenever it is tried: the host is unknown, or its certificate not trusted
 * - `unavailable`: the same request may succeed later
 * - `refused`: anything else
 */
export type StoreFailure =
  | ('missing' | 'no bucket' | 'changed')
  | ('denied' | 'no credentials' | 'expired')
  | ('unreachable' | 'unavailable' | 'refused');

/** A request to a store that failed. */
export class StoreError extends Error {
  override readonly name = 'StoreError';
  readonly failure: StoreFailure;

  /** @param message what the store or the system says, in one line, without credentials */
  constructor(failure: StoreFailure, message: string, cause?: unknown) {
    super(message, { cause });
    this.failure = failure;
  }
}

/** For `catch`: undefined for one kind of failure. */
export const unless =
  (failure: StoreFailure) =>
  (error: unknown): undefined => {
    if (!(error instanceof StoreError) || error.failure !== failure) throw error;
  };

/**
 * The failure that the status of a response stands for, if its body does not say more.
 *
 * @param status of HTTP; undefined if there was no response
 */
export function failureOfStatus(status: number | undefined): StoreFailure {
  // What a store cannot do, it cannot do later either.
  if (status === 501) return 'refused';
  if (status === undefined || status >= 500 || status === 429 || status === 408) return 'unavailable';
  if (status === 404 || status === 410) return 'missing';
  if (status === 412 || status === 409) return 'changed';
  if (status === 401 || status === 403) return 'denied';
  return 'refused';
}

const SERVER: Peer = {
  name: 'the server',
  address: 'the URL, and the endpoint of a store (--store-options)',
  trust: 'Renew it, or add the issuing certificate authority with NODE_EXTRA_CA_CERTS.',
  ownCertificate: 'None is sent to stores: download the file with a program that has one.',
};

/** The failure of a request without a response, by the error of its connection. */
export const failureOfConnection = (error: unknown): 'unreachable' | 'unavailable' =>
  permanentErrorOf(error as NodeJS.ErrnoException, false, SERVER) === undefined
    ? 'unavailable'
    : 'unreachable';

/** What a program was doing when a store failed. */
export type Purpose = 'read' | 'write';

/**
 * A failure as an error for the user.
 *
 * @param name the URL of the object
 */
export function storeError(name: string, purpose: Purpose, error: unknown): RowcastError | Interrupted {
  if (error instanceof RowcastError || error instanceof Interrupted) return error;
  const { failure, message } =
    error instanceof StoreError ? error : new StoreError('refused', String(error), error);
  const details = { location: { file: name }, cause: error };
  const what = purpose === 'read' ? 'cannot read the object' : 'cannot write the object';
  switch (failure) {
    case 'missing':
      return new RowcastError('no_such_file', 'there is no such object', {
        ...details,
        hint: 'Check the URL.',
      });
    case 'no bucket':
      return new RowcastError('no_such_bucket', `${what}: there is no such bucket or container`, {
        ...details,
        hint: 'Check the URL, the region and the endpoint (--store-options).',
      });
    case 'no credentials':
      return new RowcastError('no_store_credentials', `${what}: no credentials were found (${message})`, {
        ...details,
        hint: "Log in with the store's own command, set its variables, or give --store-options unsigned=true for public objects.",
      });
    case 'expired':
      return new RowcastError(
        'store_credentials_expired',
        `${what}: the credentials have expired (${message})`,
        {
          ...details,
          severity: 'temporary',
          hint: 'Renew them, then run the same command again.',
        },
      );
    case 'denied':
      return new RowcastError('store_access_denied', `${what}: access is denied (${message})`, {
        ...details,
        hint: 'Grant the permissions that the page docs/stores.md lists, or check the profile.',
      });
    case 'unreachable': {
      const cause = (error as StoreError).cause as NodeJS.ErrnoException; // by `failureOfConnection`
      const {
        code,
        message: why,
        hint,
      } = permanentErrorOf(cause, false, SERVER) ?? {
        code: 'unreadable_input',
        message,
        hint: 'Check the URL.',
      };
      return new RowcastError(code, `${what}: ${why}`, { ...details, hint });
    }
    case 'unavailable':
      return new RowcastError('store_unavailable', `${what}: ${message}`, {
        ...details,
        severity: 'temporary',
        hint: 'Run the same command again once the store responds.',
      });
    default:
      return purpose === 'read'
        ? new RowcastError('unreadable_input', `${what}: ${message}`, details)
        : new RowcastError('unwritable_output', `${what}: ${message}`, details);
  }
}
