import * as z from 'zod';
import type { KeyRing } from '../../server/auth/key-ring.ts';
import { keyHash } from '../../server/auth/key-store.ts';
import type { WrongKeys } from '../../server/auth/require-key.ts';

/** Longer than any key; what is longer is not hashed. */
const MAX_KEY_LENGTH = 1_000;

export const keyForm = z.object({
  key: z.string().max(MAX_KEY_LENGTH).trim().catch(''),
  next: z.string().optional().catch(undefined),
});

export type SignInCheck =
  | { kind: 'accepted'; wait?: undefined; message?: undefined }
  | { kind: 'refused'; message: string /** Seconds. */; wait?: number };

/** Whether a key may sign in. Attempts with wrong keys are limited by address; a key that matches is never throttled. */
export async function checkSignIn(
  key: string,
  address: string,
  keys: KeyRing,
  wrongKeys: WrongKeys,
): Promise<SignInCheck> {
  if (key === '') return { kind: 'refused', message: 'Enter a key.' };
  const found = await keys.findHash(keyHash(key));
  if (found.kind === 'expired') return { kind: 'refused', message: 'This key has expired.' };
  if (found.kind !== 'principal') {
    const wait = wrongKeys.failed(address);
    if (wait > 0) return { kind: 'refused', wait, message: `Too many wrong keys. Try again in ${wait} s.` };
    return { kind: 'refused', message: 'There is no such key.' };
  }
  if (found.principal.hasScope('platform')) return { kind: 'accepted' };
  return { kind: 'refused', message: 'This key is for the API only: it does not have the scope “platform”.' };
}
