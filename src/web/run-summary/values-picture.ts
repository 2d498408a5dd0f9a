import type { Summary } from '../../runs/summary/summary.ts';
import { rounded } from '../charts/frame.ts';
import { countText, nameText, percentText, shortened } from '../charts/text.ts';
import { type Html, html } from '../html.ts';

type Column = NonNullable<Summary['columns']>[number];

const WIDTH = 110;
const HEIGHT = 28;
/** A share that is as high as the picture, unless a bar is higher. */
const LEAST_TOP = 0.2;
/** Number of deciles: each of the ten ranges between them had a tenth of the training rows. */
const DECILES = 9;
const MAX_NAME = 24;

/** A small picture of how the values of a column are spread over the ranges, or the categories, of the training. */
export function valuesPicture({ ranges, categories }: Column): Html | undefined {
  if (ranges !== null) return picture(ranges.rows, rangeNames(ranges.edges), ranges.edges.length === DECILES);
  if (categories === null || categories.names.length === 0) return undefined;
  const { names, rows, others } = categories;
  const shown = names.map(name => shortened(nameText(name), MAX_NAME));
  return others > 0 ? picture([...rows, others], [...shown, 'others'], false) : picture(rows, shown, false);
}

function picture(
  counts: readonly number[],
  names: readonly string[],
  isOfDeciles: boolean,
): Html | undefined {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return undefined;
  const shares = counts.map(count => count / total);
  const top = Math.max(LEAST_TOP, ...shares);
  const width = WIDTH / counts.length;
  const at = (share: number): number => rounded(HEIGHT * (1 - share / top));
  const bars = shares.map(
    (share, i) =>
      html`<rect class="bar" x="${rounded(i * width)}" y="${at(share)}" width="${rounded(width - 1)}" height="${rounded(HEIGHT - at(share))}"/>`,
  );
  const text = shares.map((share, i) => `${names[i]}: ${shareText(share)}`).join(', ');
  return html`<span class="spark"><svg class="histogram" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" role="img" aria-label="${text}"><title>${text}</title>${bars}${isOfDeciles && html`<line class="expected" x1="0" x2="${WIDTH}" y1="${at(0.1)}" y2="${at(0.1)}"/>`}</svg></span>`;
}

const rangeNames = (edges: readonly number[]): string[] => [
  `below ${countText(edges[0] ?? 0)}`,
  ...edges.map((edge, i) =>
    i + 1 < edges.length
      ? `${countText(edge)} to ${countText(edges[i + 1] ?? 0)}`
      : `from ${countText(edge)}`,
  ),
];

/** A share as text; a small one is not shown as nothing. */
export const shareText = (share: number): string =>
  share > 0 && share < 0.0005 ? '<0.1%' : percentText(share);
