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

/** The code, message and hint of each known failure. Others are reported with the message of the store. */
const ERRORS: Readonly<Partial<Record<StoreFailure, readonly [code: string, what: string, hint: string]>>> = {
  'no bucket': [
    'no_such_bucket',
    'there is no such bucket or container',
    'Check the URL, the region and the endpoint (--store-options).',
  ],
  'no credentials': [
    'no_store_credentials',
    'no credentials were found (MESSAGE)',
    "Log in with the store's own command, set its variables, or give --store-options unsigned=true for public objects.",
  ],
  expired: [
    'store_credentials_expired',
    'the credentials have expired (MESSAGE)',
    'Renew them, then run the same command again.',
  ],
  denied: [
    'store_access_denied',
    'access is denied (MESSAGE)',
    'Grant the permissions that the page docs/stores.md lists, or check the profile.',
  ],
  unreachable: ['unreadable_input', 'MESSAGE', 'Check the URL.'],
  unavailable: ['store_unavailable', 'MESSAGE', 'Run the same command again once the store responds.'],
};

/**
 * A failure as an error for the user.
 *
 * @param name the URL of the object
 */
export function storeError(name: string, purpose: Purpose, error: unknown): RowcastError | Interrupted {
  if (error instanceof RowcastError || error instanceof Interrupted) return error;
  const { failure, message, cause } =
    error instanceof StoreError ? error : new StoreError('refused', String(error), error);
  const details = { location: { file: name }, cause: error };
  if (failure === 'missing')
    return new RowcastError('no_such_file', 'there is no such object', {
      ...details,
      hint: 'Check the URL.',
    });
  const isRead = purpose === 'read';
  const doing = `cannot ${purpose} the object`;
  // By `failureOfConnection`.
  const known = failure === 'unreachable' && permanentErrorOf(cause as NodeJS.ErrnoException, false, SERVER);
  if (known) {
    const { code, message: why, hint } = known;
    return new RowcastError(code, `${doing}: ${why}`, { ...details, hint });
  }
  const row = ERRORS[failure];
  if (row === undefined)
    return new RowcastError(
      isRead ? 'unreadable_input' : 'unwritable_output',
      `${doing}: ${message}`,
      details,
    );
  const [code, what, hint] = row;
  return new RowcastError(code, `${doing}: ${what.replace('MESSAGE', () => message)}`, {
    ...details,
    ...((failure === 'expired' || failure === 'unavailable') && { severity: 'temporary' }),
    hint,
  });
}
