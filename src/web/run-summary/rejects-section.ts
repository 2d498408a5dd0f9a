import { sanitize } from '../../base/sanitize.ts';
import type { Summary } from '../../runs/summary/summary.ts';
import { barChart } from '../charts/bar-chart.ts';
import { countedText, countText, percentText } from '../charts/text.ts';
import { type Html, html } from '../html.ts';

/** Why rows were rejected, if any were. */
export function rejectsSection({ rows, rejects }: Summary): Html | undefined {
  const reasons = Object.entries(rows.rejected_by).toSorted(([, a], [, b]) => b - a);
  const [worst] = reasons;
  if (worst === undefined) return undefined;
  const share = (count: number): string => percentText(count / Math.max(1, rows.rejected));
  return html`<section class="card stack" aria-labelledby="rejects"><h2 id="rejects">Rejected rows</h2>
${rejects !== null && html`<p class="muted">They are in <span class="path">${sanitize(rejects)}</span>.</p>`}
${barChart({
  id: 'reasons',
  title: 'Rejects by reason',
  description: `${countedText(rows.rejected, 'row')} were rejected, most of them for ${sanitize(worst[0])}.`,
  most: worst[1],
  bars: reasons.map(([label, value]) => ({ label, value, text: `${countText(value)} (${share(value)})` })),
  numbers: {
    head: ['Reason', 'Rows', 'Share'],
    rows: reasons.map(([code, count]) => [sanitize(code), countText(count), share(count)]),
  },
})}
</section>`;
}
