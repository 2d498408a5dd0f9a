import { counted } from '../../base/number-text.ts';
import { percentText } from '../charts/text.ts';
import { type Html, html, named } from '../html.ts';
import type { Target } from './target.ts';

const MAX_SHOWN = 20;

/** The classes of the column to predict, with their shares of the rows. */
export function classTable(
  { classes, unlisted, notes }: Extract<Target, { kind: 'classes' }>,
  rows: number,
): Html {
  const shown = classes.slice(0, MAX_SHOWN);
  const others = classes.length - shown.length + unlisted;
  return html`
    <div class="table-box"><table>
      <caption>Classes</caption>
      <thead><tr><th scope="col">Class</th><th scope="col" class="num">Rows</th><th scope="col" class="num">Share</th>
        <th scope="col"><span class="visually-hidden">As a bar</span></th></tr></thead>
      <tbody>${shown.map(
        ({ name, rows: own }) => html`<tr><th scope="row">${named(name)}</th>
          <td class="num">${own.toLocaleString('en-US')}</td><td class="num">${percentText(own / rows)}</td>
          <td>${bar(own / rows)}</td></tr>`,
      )}</tbody>
    </table></div>
    ${others > 0 && html`<p class="muted">${others === 1 ? 'One more class' : `${counted(others)} more classes`}.</p>`}
    ${notes.length > 0 && html`<ul class="plain-list">${notes.map(note => html`<li>${note}</li>`)}</ul>`}`;
}

/** The table has the number, so the bar is decoration. */
const bar = (share: number): Html =>
  html`<svg class="share" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true" focusable="false"><rect class="share-all" width="100" height="8"/><rect class="share-own" width="${(100 * share).toFixed(2)}" height="8"/></svg>`;
