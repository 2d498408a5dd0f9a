import { counted, countOf } from '../../../base/number-text.ts';
import { sanitize } from '../../../base/sanitize.ts';
import type { InputPlan } from '../../../runs/forecast/plan-input.ts';
import type { RowOrder } from '../../../runs/reuse/earlier-output.ts';
import type { Summary } from '../../../runs/summary/summary.ts';
import type { UnsentRows } from '../../../scoring/reuse/known-rows.ts';
import type { RowCounts } from '../../../scoring/row-counts.ts';

/** How many of the scored rows were not paid for, their share, and what that has saved. */
export function reusedText({
  rows: { scored, reused, equal },
  saved,
}: {
  rows: Pick<Summary['rows'], 'scored' | 'reused' | 'equal'>;
  saved?: number;
}): string {
  const texts = Object.entries({ reused, equal }).flatMap(([name, count]) =>
    count === undefined ? [] : [`${counted(count)} ${name}${shareText(count, scored)}`],
  );
  if (saved !== undefined) texts.push(`${saved.toFixed(2)} saved`);
  return texts.length === 0 ? '' : ` (${texts.join(', ')})`;
}

const shareText = (count: number, scored: number): string =>
  scored === 0 ? '' : `, ${Math.floor((1000 * count) / scored) / 10}%`;

/** What of the first rows of an input need not be sent, and how many of all rows are. */
export function unsentText(
  { rows: scored, ...unsent }: UnsentRows,
  { sent }: Pick<InputPlan, 'sent'>,
): string {
  const first = `of the first ${countOf(scored, 'row')}${reusedText({ rows: { scored, ...unsent } })}`;
  return `${first}; about ${counted(sent)} are sent`;
}

/** How the rows of an earlier output are found. */
export const orderText = (file: string, order: RowOrder): string =>
  `reusing predictions of ${sanitize(file)}, whose rows are in ${order === 'same order' ? 'the same' : 'another'} order`;

type Counts = Pick<RowCounts, 'scored' | 'reused' | 'equal'>;

/** The scored rows by whether they were sent, if any need not be. */
export function unsentCounts({ scored, reused, equal }: Counts): Record<string, number> {
  if ((reused ?? equal) === undefined) return {};
  return {
    sent: scored - (reused ?? 0) - (equal ?? 0),
    ...(reused !== undefined && { reused }),
    ...(equal !== undefined && { equal }),
  };
}

/** For the progress line. */
export const unsentCells = (counts: Counts): string[] =>
  Object.entries(unsentCounts(counts)).map(([name, count]) => `${counted(count)} ${name}`);
