import type { Reject } from '../formats/csv/reject-records.ts';
import { sanitize } from '../sanitize.ts';

/** Rejects that are told one by one where they have no file. */
const TOLD = 20;

/** Tells rejects that have no file: line, code and reason, and no value of a persona's; a service's reason may quote one. */
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
