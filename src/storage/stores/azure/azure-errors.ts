import {
  failureOfConnection,
  failureOfStatus,
  StoreError,
  type StoreFailure,
} from '../../objects/store-error.ts';
import { RestError } from './sdk.ts';

/** Errors of Azure whose status does not say what they mean. */
const FAILURES: Readonly<Record<string, StoreFailure>> = {
  ContainerNotFound: 'no bucket',
  ContainerBeingDeleted: 'no bucket',
  InvalidBlockList: 'missing',
  BlobAlreadyExists: 'changed',
  Md5Mismatch: 'unavailable',
  ServerBusy: 'unavailable',
  InvalidAuthenticationInfo: 'expired',
};

/** Tells what an error of the client means. @throws StoreError, always */
export function fail(error: unknown): never {
  if (error instanceof StoreError) throw error;
  if (error instanceof RestError) {
    const { code = '', statusCode, message } = error;
    // Azurite has no code of its own for it.
    const isDamaged = /contentMD5 doesn't match/.test(message);
    const known = isDamaged ? 'unavailable' : Object.hasOwn(FAILURES, code) ? FAILURES[code] : undefined;
    // The first line; others are identifiers of the request.
    const [said = ''] = message.split('\n');
    const text = said === '' ? `${code === '' ? 'HTTP' : code} ${statusCode ?? ''}`.trim() : said;
    const failure = statusCode === undefined ? failureOfConnection(error) : failureOfStatus(statusCode);
    throw new StoreError(known ?? failure, text.slice(0, 300), error);
  }
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  const isIdentity = /Credential|Authentication/.test(name);
  const [said = ''] = message.split('\n');
  const failure = isIdentity
    ? 'no credentials'
    : error instanceof TypeError
      ? 'refused'
      : failureOfConnection(error);
  throw new StoreError(failure, said.slice(0, 300), error);
}
