import type { Reject } from '../formats/csv/reject-records.ts';
import { sanitize } from '../sanitize.ts';

/** How many rejects are logged one by one if there is no rejects file. */
const TOLD = 20;

/** Logs rejects that go to no file: line, code and reason, but not the row, although a service's reason may quote it. */
export function rejectLines(
  isTold: boolean,
  tell: (fields: object, line: string) => void,
): (reject: Reject) => void {
  let count = 0;
  return ({ row, line, code, reason }) => {
    count++;
    if (isTold && count <= TOLD)
      tell({ row, line, code }, `line ${line} rejected: ${sanitize(reason)} [${code}]`);
    if (isTold && count === TOLD + 1)
      tell({}, 'further rejects are counted but not listed; use --rejects FILE to keep them');
  };
}
