/** The columns that stand before a rejected record; `score` does not send them. */
export const rejectColumns = ['reject_row', 'reject_line', 'reject_code', 'reject_reason'] as const;
