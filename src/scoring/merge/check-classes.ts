import { isDeepStrictEqual } from 'node:util';
import { RowcastError } from '../../base/errors.ts';
import { sanitize } from '../../base/sanitize.ts';

/**
 * Checks that the given classes are those of the report, in any order.
 *
 * @throws RowcastError `bad_classes`
 */
export function checkClasses(given: readonly string[], reported: readonly string[] | undefined): void {
  const isSet = given.length > 0 && new Set(given).size === given.length;
  if (isSet && (reported === undefined || isDeepStrictEqual(given.toSorted(), reported.toSorted()))) return;
  throw new RowcastError('bad_classes', `the classes given are ${sanitize(given.join(', ')) || 'none'}`, {
    hint:
      reported === undefined ? 'Give each class once.' : `The report has: ${sanitize(reported.join(', '))}.`,
  });
}
