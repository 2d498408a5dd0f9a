/** A row that could not be scored. */
export interface Reject {
  /** Data row, 1-based; the header and blank lines are not counted. */
  row: number;
  /** Line of the input at which the record begins, 1-based. */
  line: number;
  code: string;
  reason: string;
  /** What to do about it, if the reason is always the same. */
  hint?: string;
  /** How many lines the record has, if it has several. */
  lines?: number;
  /** The raw record without its line ending; a copy, so that observers may keep it. */
  record: Buffer;
}

/** A reason, and what to do about it. */
export const reasonText = ({ reason, hint }: Pick<Reject, 'reason' | 'hint'>): string =>
  hint === undefined ? reason : `${reason}; ${hint}`;

/** The columns that stand before a rejected record; `score` does not send them. */
export const rejectColumns = ['reject_row', 'reject_line', 'reject_code', 'reject_reason'] as const;

/** The member that JSON lines have behind these for a line that was no object: its text. */
export const REJECT_RECORD = 'reject_record';

/** A corrected rejects file can be scored again: the columns that rowcast added to it are never sent. */
export const isRejectsFile = (names: readonly string[]): boolean =>
  rejectColumns.every((ours, index) => names[index] === ours);

/** The names in their order, with a delimiter between them, or the values of a row. */
const BEGINNING = new RegExp(`^\\ufeff?\\W{0,2}${rejectColumns.join('\\b[^\\r\\n]{1,80}?\\b')}\\b`);

/** Whether a file is a rejects file by its first bytes: in each format, it begins with the names of these columns. */
export const beginsLikeRejects = (text: string): boolean => BEGINNING.test(text);

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
