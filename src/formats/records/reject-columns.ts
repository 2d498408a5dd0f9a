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
