import type { Reject } from './reject.ts';

/** Why most records of an input are malformed, and what to do about it; without a value of a row. */
export interface MalformedCause {
  /** A clause. */
  readonly cause: string;
  /** A sentence, with a command that works. */
  readonly remedy: string;
}

/** What is known of malformed records. */
export type MalformedRecord = Pick<Reject, 'code' | 'reason' | 'hint' | 'line' | 'record'>;

/** The cause that each record tells of itself: that of the most frequent reason. */
export function mostFrequentCause(records: readonly MalformedRecord[], remedy: string): MalformedCause {
  const counts = new Map<string, number>();
  for (const { reason } of records) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  const [cause] = [...counts].reduce(
    (most, other) => (other[1] > most[1] ? other : most),
    ['the rejects have the reasons', 0],
  );
  const { hint } = records.find(({ reason }) => reason === cause) ?? {};
  return { cause, remedy: hint === undefined ? remedy : `${hint.charAt(0).toUpperCase()}${hint.slice(1)}.` };
}
