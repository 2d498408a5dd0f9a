import { barChart } from '../../charts/bar-chart.ts';
import { countText, percentText } from '../../charts/text.ts';
import { type Html, html, named } from '../../html.ts';
import type { ReportView } from '../report-view.ts';

/** More bars than this hide the important ones. */
const MAX_BARS = 10;
const MAX_ROWS = 300;

/** The columns by their impact. */
export function drivers({ report }: ReportView): Html {
  const ranked = report.drivers.toSorted((a, b) => b.impact - a.impact);
  const [first] = ranked;
  if (first === undefined)
    return html`<section class="card"><h2>Drivers</h2><p>The report has none.</p></section>`;
  const shown = ranked.slice(0, MAX_BARS);
  const rest = ranked.slice(MAX_BARS);
  const others = rest.reduce((sum, { impact }) => sum + impact, 0);
  return html`<section class="card stack" aria-labelledby="drivers"><h2 id="drivers">Drivers</h2>
<p class="muted">A column’s impact is how much worse the predictions become when its values are shuffled, as a share of all.</p>
${barChart({
  id: 'driver-chart',
  title:
    rest.length === 0
      ? 'Impact of each column'
      : `Impact of the first ${MAX_BARS} of ${countText(ranked.length)} columns`,
  description: `The column with the largest impact has ${percentText(first.impact)} of the total.`,
  ...(rest.length > 0 && {
    caption: `The other ${countText(rest.length)} have ${percentText(others)} together.`,
  }),
  most: Math.max(first.impact, Number.MIN_VALUE),
  bars: shown.map(({ column, impact }) => ({
    label: column,
    value: Math.max(0, impact),
    text: percentText(impact),
  })),
  numbers: {
    head: ['Column', 'Impact'],
    rows: ranked.slice(0, MAX_ROWS).map(({ column, impact }) => [named(column), percentText(impact, 2)]),
    ...(ranked.length > MAX_ROWS && {
      note: `The first ${MAX_ROWS}; “rowcast report” prints all.`,
    }),
  },
})}</section>`;
}
