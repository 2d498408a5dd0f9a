import { sanitize } from '../base/sanitize.ts';
import { type Reject, reasonText } from '../formats/csv/reject-records.ts';

/** How many rejects are logged one by one if there is no rejects file. */
const MAX_LISTED = 20;

/** Logs rejects that go to no file: line, code and reason, but not the row, although a service's reason may quote it. */
export function rejectLines(
  input: string,
  isListed: boolean,
  log: (fields: object, line: string) => void,
): (reject: Reject) => void {
  let count = 0;
  return ({ row, line, code, ...why }) => {
    count++;
    if (isListed && count <= MAX_LISTED)
      log(
        { event: 'reject', row, line, code },
        `${input}:${line}: row rejected: ${sanitize(reasonText(why))}`,
      );
    if (isListed && count === MAX_LISTED + 1)
      log(
        { event: 'rejects_not_listed' },
        'further rejects are counted but not listed; use --rejects FILE to keep them',
      );
  };
}
