import { Attempts, type RetryPolicy } from '../../scoring/failures/attempts.ts';
import { CallError } from '../../scoring/failures/call-error.ts';

/**
 * Repeats a request until it succeeds or has failed for good.
 *
 * @param canSplit whether the request contains several personas
 * @param signal aborts the request and its retries
 * @throws CallError the last failure
 */
export async function withRetries<T>(
  attempt: () => Promise<T>,
  policy: RetryPolicy,
  canSplit: boolean,
  signal: AbortSignal,
): Promise<T> {
  const attempts = new Attempts(policy);
  for (;;) {
    try {
      const outcome = await attempt();
      attempts.succeeded();
      return outcome;
    } catch (failure) {
      if (!(failure instanceof CallError) || signal.aborted) throw failure;
      const decision = attempts.failed(failure.toFailure(), {
        canSplit,
        mayBeAllInvalid: false,
        isPart: false,
      });
      if (decision.action !== 'retry' && decision.action !== 'probe') throw attempts.ended(failure, decision);
      await attempts.wait(failure, decision, signal);
    }
  }
}
