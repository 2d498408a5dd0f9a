import { type Html, html, type Part } from '../html.ts';

/** An axis: maps values to units of the drawing. */
export interface Axis {
  title: string;
  ticks: readonly number[];
  at(value: number): number;
  text(value: number): string;
}

/** The part of a drawing between its axes. */
export interface PlotArea {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** Grid lines, the texts at the ticks, and the titles of two axes. */
export function frame(x: Axis, y: Axis, { left, top, right, bottom }: PlotArea): Html {
  const columns = x.ticks.map(tick => {
    const at = rounded(x.at(tick));
    return html`<line class="grid" x1="${at}" x2="${at}" y1="${top}" y2="${bottom}"/><text class="tick" x="${at}" y="${bottom + 16}" text-anchor="${anchorOf(at, left, right)}">${x.text(tick)}</text>`;
  });
  const rows = y.ticks.map(tick => {
    const at = rounded(y.at(tick));
    return html`<line class="grid" x1="${left}" x2="${right}" y1="${at}" y2="${at}"/><text class="tick" x="${left - 6}" y="${at + 4}" text-anchor="end">${y.text(tick)}</text>`;
  });
  return html`<g>${columns}${rows}</g>
<text class="axis" x="${right}" y="${bottom + 34}" text-anchor="end">${x.title} →</text>
<text class="axis" x="0" y="12">↑ ${y.title}</text>`;
}

/** Texts at the right end of an axis stay inside of the drawing. */
const anchorOf = (at: number, left: number, right: number): Part =>
  at > right - 8 && right > left ? 'end' : 'middle';

/** A tenth of a unit is less than anyone sees. */
export const rounded = (value: number): number => Math.round(value * 10) / 10;
