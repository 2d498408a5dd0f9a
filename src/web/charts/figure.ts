import { type Html, html, type Part } from '../html.ts';

/** The numbers that a chart draws. The first cell of a row is its heading. */
export interface NumberTable {
  head: readonly Part[];
  rows: readonly (readonly Part[])[];
  /** What the table leaves out, if it does. */
  note?: string;
}

export interface Figure {
  /** Unique on the page. */
  id: string;
  title: string;
  /** What the chart shows, in a sentence or two, for those who do not see it. */
  description: string;
  /** In units of the drawing; a chart without a width is as wide as its place, and its text keeps its size. */
  width?: number;
  height: number;
  content: Part;
  /** Shown between the title and the chart. */
  caption?: Part;
  numbers: NumberTable;
  /** For charts that are scrolled rather than scaled down where there is too little room: what stays at their left. */
  pinned?: { width: number; content: Part };
}

/** A chart with its title, and its numbers as a table that can be opened. */
export function figure(chart: Figure): Html {
  const { id, title, caption, numbers, pinned } = chart;
  return html`<figure class="chart" id="${id}" aria-labelledby="${id}-heading">
<figcaption><h3 id="${id}-heading">${title}</h3>${caption && html`<p>${caption}</p>`}</figcaption>
${pinned ? html`<div class="scroll" role="region" tabindex="0" aria-labelledby="${id}-heading">${pinnedPart(pinned, chart.height)}${svg(chart)}</div>` : svg(chart)}
${numberTable(title, numbers)}
</figure>`;
}

function svg({ id, title, description, width, height, content, pinned }: Figure): Html {
  const size =
    width === undefined
      ? html`width="100%" height="${height}"`
      : pinned
        ? html`width="${width - pinned.width}" height="${height}" viewBox="${pinned.width} 0 ${width - pinned.width} ${height}"`
        : html`viewBox="0 0 ${width} ${height}"`;
  return html`<svg class="plot" role="img" aria-labelledby="${id}-title ${id}-text" ${size}>
<title id="${id}-title">${title}</title><desc id="${id}-text">${description}</desc>
${content}
</svg>`;
}

/** The names in it are part of the description and of the table of the numbers. */
const pinnedPart = ({ width, content }: NonNullable<Figure['pinned']>, height: number): Html =>
  html`<svg class="plot pinned" aria-hidden="true" width="${width}" height="${height}">${content}</svg>`;

function numberTable(title: string, { head, rows, note }: NumberTable): Html {
  return html`<details class="numbers"><summary>Numbers</summary>
<div class="scroll" role="region" tabindex="0" aria-label="${title}: numbers"><table>
<thead><tr>${head.map(cell => html`<th scope="col">${cell}</th>`)}</tr></thead>
<tbody>${rows.map(([first, ...cells]) => html`<tr><th scope="row">${first}</th>${cells.map(cell => html`<td>${cell}</td>`)}</tr>`)}</tbody>
</table></div>
${note && html`<p>${note}</p>`}</details>`;
}
