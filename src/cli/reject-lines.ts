import type { Reject } from '../formats/csv/reject-records.ts';
import { sanitize } from '../sanitize.ts';

/** How many rejects are logged one by one if there is no rejects file. */
const MAX_LISTED = 20;

/** Logs rejects that go to no file: line, code and reason, but not the row, although a service's reason may quote it. */
export function rejectLines(
  isListed: boolean,
  log: (fields: object, line: string) => void,
): (reject: Reject) => void {
  let count = 0;
  return ({ row, line, code, reason }) => {
    count++;
    if (isListed && count <= MAX_LISTED)
      log({ row, line, code }, `line ${line} rejected: ${sanitize(reason)} [${code}]`);
    if (isListed && count === MAX_LISTED + 1)
      log({}, 'further rejects are counted but not listed; use --rejects FILE to keep them');
  };
}
