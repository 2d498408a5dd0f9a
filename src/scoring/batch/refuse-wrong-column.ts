import type { Location } from '../../base/errors.ts';
import { countOf } from '../../base/number-text.ts';
import { CallError } from '../failures/call-error.ts';
import type { Scored } from '../scorer.ts';

/** With this many rows that are not sent for the same reason, the column is at fault. */
const MIN_ROWS = 3;

/**
 * Stops a run of which no row of the first batch was sent, because the values of the same column do not fit its type: the
 * next batches would be rejected as well.
 *
 * @param personas number of rows of the batch
 * @param location of the first one
 * @throws CallError `wrong_type`
 */
export function refuseWrongColumn(
  { predictions: { errors }, unsent = 0 }: Scored,
  personas: number,
  location: Location,
): void {
  const [first, ...others] = errors.values();
  if (first === undefined || unsent < MIN_ROWS || unsent < personas) return;
  if (first.code !== 'wrong_type' || others.some(({ message }) => message !== first.message)) return;
  throw new CallError(
    'rejected_request',
    'wrong_type',
    `in each of the first ${countOf(unsent, 'row')}, ${first.message}`,
    {
      location,
      hint: 'Check that the input is the right one, and give the type of the column with --types.',
    },
  );
}
