import type { Reject } from './reject.ts';

/** Why most records of an input are malformed, and what to do about it; without a value of a row. */
export interface MalformedCause {
  /** A clause. */
  readonly cause: string;
  /** A sentence, with a command that works. */
  readonly remedy: string;
  /** A record of which it is true. */
  readonly example: MalformedRecord | undefined;
}

/** What is known of malformed records. */
export type MalformedRecord = Pick<Reject, 'code' | 'reason' | 'hint' | 'line' | 'record'>;

/** The reasons that the records tell of themselves: the most frequent one, and the next one if there are several. */
export function mostFrequentCause(records: readonly MalformedRecord[], remedy: string): MalformedCause {
  const byReason = new Map<string, MalformedRecord[]>();
  for (const record of records) byReason.set(record.reason, [...(byReason.get(record.reason) ?? []), record]);
  const [[example] = [], [other] = []] = [...byReason.values()].sort((a, b) => b.length - a.length);
  if (example === undefined) return { cause: 'the rejects have the reasons', remedy, example };
  const { hint, reason } = example;
  return {
    cause:
      other === undefined
        ? reason
        : `most often, ${reason} (line ${example.line}); also, ${other.reason} (line ${other.line})`,
    remedy: hint === undefined ? remedy : `${hint.charAt(0).toUpperCase()}${hint.slice(1)}.`,
    example,
  };
}
