import { type Html, type HtmlPart, html } from './html.ts';

/** The heading of a column: a text, or one of numbers, or one that phones do not show. */
type Heading = string | Html | { text: HtmlPart; kind: 'num' | 'wide-only' };

interface Table {
  /** Its name, unless the element with the id `labelledBy` has it. */
  label?: string;
  labelledBy?: string;
  head: readonly Heading[];
  /** Its rows, as markup. */
  rows: HtmlPart;
  /** The class of the table itself. */
  kind?: string;
}

/** The heading of numbers, which are at the right. */
export const num = (text: HtmlPart): Heading => ({ text, kind: 'num' });

/** A text that only screen readers need. */
export const unseen = (text: string): Html => html`<span class="visually-hidden">${text}</span>`;

/** A table in a box that scrolls if the page is too narrow for it. */
export const tableBox = ({ label, labelledBy, head, rows, kind }: Table): Html =>
  html`<div class="table-box" role="region" tabindex="0"${label !== undefined && html` aria-label="${label}"`}${labelledBy && html` aria-labelledby="${labelledBy}"`}><table${kind && html` class="${kind}"`}>
<thead><tr>${head.map(heading => (typeof heading === 'object' && 'kind' in heading ? html`<th scope="col" class="${heading.kind}">${heading.text}</th>` : html`<th scope="col">${heading}</th>`))}</tr></thead>
<tbody>${rows}</tbody>
</table></div>`;
