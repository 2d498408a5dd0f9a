import { timeLimit } from '../../base/interrupted.ts';
import { reasonOf } from '../../base/system-error.ts';

/** Time limit of one request. */
const TIMEOUT_MS = 5_000;

/** Why an endpoint has not taken what was sent. */
interface PostFailure {
  /** Never more of the URL than its host and port. */
  reason: string;
  /** Whether the same request may succeed a moment later. */
  isPassing: boolean;
}

/**
 * Sends JSON by POST. Redirects are not followed: another host would get it, and the key.
 *
 * @param key for `Authorization: Bearer`
 * @param over ends the waiting
 * @returns undefined if the endpoint has accepted it
 */
export async function postJson(
  body: unknown,
  { url, key }: { url: URL; key?: string | undefined },
  over: AbortSignal,
): Promise<PostFailure | undefined> {
  const limit = timeLimit(TIMEOUT_MS, over);
  try {
    over.throwIfAborted();
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(key !== undefined && { authorization: `Bearer ${key}` }),
      },
      body: JSON.stringify(body),
      redirect: 'manual',
      signal: limit.over,
    });
    await response.body?.cancel();
    if (response.ok) return undefined;
    const { status } = response;
    const isPassing = status === 408 || status === 429 || status >= 500;
    return { reason: `the endpoint responded with ${status}`, isPassing };
  } catch (error) {
    return { reason: reasonOf(causeOf(error)), isPassing: true };
  } finally {
    limit.end();
  }
}

/** The errors of fetch have their reason as the cause; that of several addresses, one for each. */
function causeOf(error: unknown): unknown {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return cause instanceof AggregateError ? (cause.errors[0] ?? cause) : cause;
}
