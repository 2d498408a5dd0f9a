import { type ScaleLinear, type ScaleLogarithmic, scaleLinear, scaleLog } from 'd3-scale';
import { type Html, type HtmlPart, html } from '../html.ts';
import { percentOf } from '../texts.ts';

/** The numbers that a chart draws. The first cell of a row is its heading. */
interface FigureTable {
  head: readonly HtmlPart[];
  rows: readonly (readonly HtmlPart[])[];
  /** What the table leaves out, if it does. */
  note?: string;
}

export interface Figure {
  /** Unique on the page. */
  id: string;
  title: string;
  /** What the chart shows, in a sentence or two, for those who do not see it. */
  description: string;
  /** In units of the drawing; a chart without a width is as wide as what is around it, and its text keeps its size. */
  width?: number;
  height: number;
  content: HtmlPart;
  /** Shown between the title and the chart. */
  caption?: HtmlPart;
  numbers: FigureTable;
  /** For charts that are scrolled rather than scaled down where the page is too narrow: what stays at their left. */
  pinned?: { width: number; content: HtmlPart };
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

function numberTable(title: string, { head, rows, note }: FigureTable): Html {
  return html`<details class="numbers"><summary>Numbers</summary>
<div class="scroll" role="region" tabindex="0" aria-label="${title}: numbers"><table>
<thead><tr>${head.map(cell => html`<th scope="col">${cell}</th>`)}</tr></thead>
<tbody>${rows.map(([first, ...cells]) => html`<tr><th scope="row">${first}</th>${cells.map(cell => html`<td>${cell}</td>`)}</tr>`)}</tbody>
</table></div>
${note && html`<p>${note}</p>`}</details>`;
}

/** An axis: maps values to units of the drawing. */
interface Axis {
  title: string;
  ticks: readonly number[];
  at(value: number): number;
  text(value: number): string;
}

/** The part of a drawing between its axes. */
interface PlotArea {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** Grid lines, the texts at the ticks, and the titles of two axes. */
export function frame(x: Axis, y: Axis, { left, top, right, bottom }: PlotArea): Html {
  const columns = x.ticks.map(tick => {
    const at = toTenths(x.at(tick));
    return html`<line class="grid" x1="${at}" x2="${at}" y1="${top}" y2="${bottom}"/><text class="tick" x="${at}" y="${bottom + 16}" text-anchor="${anchorOf(at, left, right)}">${x.text(tick)}</text>`;
  });
  const rows = y.ticks.map(tick => {
    const at = toTenths(y.at(tick));
    return html`<line class="grid" x1="${left}" x2="${right}" y1="${at}" y2="${at}"/><text class="tick" x="${left - 6}" y="${at + 4}" text-anchor="end">${y.text(tick)}</text>`;
  });
  return html`<g>${columns}${rows}</g>
<text class="axis" x="${right}" y="${bottom + 34}" text-anchor="end">${x.title} →</text>
<text class="axis" x="0" y="12">↑ ${y.title}</text>`;
}

/** Texts at the right end of an axis stay inside of the drawing. */
const anchorOf = (at: number, left: number, right: number): HtmlPart =>
  at > right - 8 && right > left ? 'end' : 'middle';

/** An axis of round numbers around a range; 0 is among them if it is not far. */
export const roundScale = (low: number, high: number): ScaleLinear<number, number> => {
  const from = low > 0 && low < high / 2 ? 0 : low;
  return scaleLinear([from, high > from ? high : from + 1], [0, 1]).nice();
};

/** Where an axis of shares may end, so that it seldom changes with them. */
const shareEnds = [0.05, 0.1, 0.25, 0.5, 1];

/** An axis of shares, to the first end that is not below the largest. */
export const shareScale = (most: number): ScaleLinear<number, number> =>
  scaleLinear([0, shareEnds.find(end => most <= end) ?? 1], [0, 1]);

/** A tenth of a unit is less than anyone sees. */
export const toTenths = (value: number): number => Math.round(value * 10) / 10;

const ticks = [0, 0.25, 0.5, 0.75, 1];

type Scale = ScaleLinear<number, number> | ScaleLogarithmic<number, number>;

/** The scales and the axes of a drawing both of whose axes are of the same values. */
export interface EqualPlot {
  x: Scale;
  y: Scale;
  axes: Html;
}

interface Titles {
  x: string;
  y: string;
}

/** Both axes are shares, from 0% to 100%. */
export const sharePlot = (titles: Titles, area: PlotArea): EqualPlot =>
  equalPlot(titles, area, { scale: scaleLinear([0, 1], [0, 1]), ticks, text: share => percentOf(share, 0) });

/** Both axes are numbers in a range, which are logarithmic if it is wide and above 0. */
export function numberPlot(titles: Titles, area: PlotArea, [low, high]: [number, number]): EqualPlot {
  const isWide = low > 0 && high > WIDE * low;
  const scale = (isWide ? scaleLog([low, high], [0, 1]) : scaleLinear([low, high], [0, 1])).nice();
  const count = isWide ? 3 : 4;
  const short = new Intl.NumberFormat('en-US', { notation: 'compact', maximumSignificantDigits: 3 });
  return equalPlot(titles, area, {
    scale,
    ticks: powersOf(scale.ticks(count)),
    text: value => short.format(value),
  });
}

/** A range that is wider than this is drawn by its logarithms. */
const WIDE = 50;

/** Texts of more ticks would overlap. */
const powersOf = (all: readonly number[]): readonly number[] =>
  all.length <= 6 ? all : all.filter(tick => Number.isInteger(Math.log10(tick)));

function equalPlot(
  titles: Titles,
  area: PlotArea,
  { scale, ticks: own, text }: { scale: Scale; ticks: readonly number[]; text: (value: number) => string },
): EqualPlot {
  const x = scale.copy().range([area.left, area.right]);
  const y = scale.copy().range([area.bottom, area.top]);
  const axis = (title: string, at: Scale) => ({ title, ticks: own, at, text });
  return { x, y, axes: frame(axis(titles.x, x), axis(titles.y, y), area) };
}
