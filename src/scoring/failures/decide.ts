import type { Failure } from './call-error.ts';
import type { FailureRule, FailureTable } from './failure-rule.ts';
import type { RequestCounts } from './service-availability.ts';

/** What is known when an attempt has failed. Times are in seconds. */
export interface FailedAttempt {
  failure: Pick<Failure, 'kind' | 'code' | 'status' | 'retryAfter'>;
  /** Attempts of this request, including this one. */
  attempts: number;
  /** Earlier failures of this request of the same kind, as far as they counted. */
  counted: number;
  /** Other requests that finished since its previous attempt, and how many of them were probes sent for it. */
  others: RequestCounts;
  probes: number;
  /** Whether its batch can be halved: it contains several personas. */
  canSplit: boolean;
  /** Whether it is a single row that may be treated as what is left after halving a batch. */
  mayBeAllInvalid: boolean;
  /** Whether it is a part of a batch whose rows were shown to be at fault while the service was up. */
  isPart: boolean;
  /** Time since its first failed attempt, not counting outages. */
  failingFor: number;
  /** Time since the service last responded, and since a batch was last scored; 0 if nothing failed since. */
  downFor: number;
  stalledFor: number;
  /** How long to keep retrying while the service is unavailable. */
  maxOutage: number;
}

/** What to do about it. */
export interface Decision {
  /**
   * `probe`: retry, and send other requests to see whether they succeed. `retry, allow all invalid`: retry at once, and
   * accept invalid predictions.
   */
  action: 'retry' | 'probe' | 'retry, allow all invalid' | 'split' | 'reject' | 'stop';
  /** Number of probes. */
  probes: number;
  /** Failures of this kind that count so far. */
  counted: number;
  /** What is left of `maxOutage`, in seconds: no wait before a retry is longer. */
  left: number;
  /** Whether it stops because `maxOutage` is over. */
  isOutage?: boolean;
}

/** Applies the rules of a failure table to a failed attempt. */
export function decide(table: FailureTable, attempt: FailedAttempt): Decision {
  const { failure, maxOutage } = attempt;
  const rule = table[failure.kind];
  const counted = attempt.counted + (counts(rule, attempt) ? 1 : 0);
  const waited = rule.maxOutage?.without === 'scored batch' ? attempt.stalledFor : attempt.downFor;
  const probes = probesNeeded(rule, attempt, counted);
  const decision = { counted, probes: 0, left: Math.max(0, maxOutage - waited) };
  if (isDue(rule, attempt, counted)) {
    if (rule.action === 'stop')
      return {
        ...decision,
        action: rule.retryAllInvalid && attempt.mayBeAllInvalid ? 'retry, allow all invalid' : 'stop',
      };
    return { ...decision, action: attempt.canSplit ? 'split' : 'reject' };
  }
  const mayStop = rule.maxOutage !== undefined && counted >= (rule.maxOutage.afterFailures ?? 0);
  if (mayStop && waited >= maxOutage) return { ...decision, action: 'stop', isOutage: true };
  return probes === 0 ? { ...decision, action: 'retry' } : { ...decision, action: 'probe', probes };
}

/** Whether a failure counts against its request. Load shedding looks the same, but affects other requests too. */
function counts(rule: FailureRule, attempt: FailedAttempt): boolean {
  if (rule.evidence?.for !== 'each') return true;
  return attempt.attempts > 1 && mayBeByRows(rule, attempt) && isShown(rule, attempt);
}

/** Whether the rule's action is due. */
function isDue(rule: FailureRule, attempt: FailedAttempt, counted: number): boolean {
  if (counted < rule.attempts) return false;
  const needsEvidence = !(rule.splitsWithoutEvidence && attempt.canSplit);
  if (rule.evidence?.for === 'last' && needsEvidence && !isShown(rule, attempt)) return false;
  return attempt.canSplit || !rule.rowUsesMaxOutage || attempt.failingFor >= attempt.maxOutage;
}

/** Whether the other requests show that the service works. */
export function isShown({ evidence }: FailureRule, { others }: Pick<FailedAttempt, 'others'>): boolean {
  if (evidence === undefined) return false;
  const { requests, share } = evidence;
  return others.all >= requests && others.succeeded > 0 && others.succeeded >= share * others.all;
}

/** How many other requests must be sent to tell whether the rows cause the failure; 0 if enough are sent anyway. */
function probesNeeded(rule: FailureRule, attempt: FailedAttempt, counted: number): number {
  const { evidence } = rule;
  if (evidence === undefined || !mayBeByRows(rule, attempt)) return 0;
  // Probes that were already requested must not be requested again.
  const hasOthers = attempt.others.all - attempt.probes >= evidence.requests;
  // A busy service is spared until a request has failed twice, unless it was shown to be up.
  const mayProbe = attempt.attempts > 1 || attempt.isPart;
  if (evidence.for === 'each') return mayProbe && !hasOthers ? evidence.requests : 0;
  const isNear = counted >= rule.attempts - 1;
  return isNear && !(hasOthers && isShown(rule, attempt)) ? evidence.requests : 0;
}

function mayBeByRows({ notByRows }: FailureRule, { failure }: FailedAttempt): boolean {
  const { code, status, retryAfter } = failure;
  if (notByRows?.codes?.includes(code)) return false;
  if (status !== undefined && notByRows?.statuses?.includes(status)) return false;
  return !(notByRows?.withRetryAfter && retryAfter !== undefined);
}
