import { type Html, html } from '../html.ts';
import { countText, nameText, percentOf, shortened, shortNumber } from '../texts.ts';
import { figure, roundScale, shareScale, toTenths } from './figure.ts';

/** The distribution of the probabilities of a class, or of a predicted number. */
export interface DecileRow {
  /** The class or number, as in the file. */
  name: string;
  mean: number;
  /** Quantiles, ascending, the median in the middle: by default the nine deciles. */
  deciles: readonly number[];
  /** More text at its right end. */
  note?: string | undefined;
}

interface DecileChart {
  id: string;
  title: string;
  rows: readonly DecileRow[];
  /** Rows of the table of numbers; the chart may have fewer. */
  all: readonly DecileRow[];
  /** Whether the values are any numbers; by default, they are the probabilities of classes. */
  isNumbers?: boolean;
  /** What the rows are called in the table of numbers, and their quantiles. */
  head?: readonly [rows: string, ...quantiles: string[]];
  /** What is shown; by default, what is predicted. */
  shows?: string;
}

const DECILES = Array.from({ length: 9 }, (_, i) => `${10 * (i + 1)}%`);

const ROW = 36;
const MAX_LABEL = 22;
/** For each class or number, bands between its deciles and a line at the median, on one axis. */
export function decileChart({ id, title, rows, all, isNumbers = false, head, shows }: DecileChart): Html {
  const text = isNumbers ? shortNumber : percentOf;
  const least = Math.min(...rows.map(({ deciles }) => deciles[0] ?? 0));
  const most = Math.max(...rows.map(({ deciles }) => deciles.at(-1) ?? 0));
  const at = (isNumbers ? roundScale(least, most) : shareScale(most)).range([0, 100]).clamp(true);
  const [start, end] = at.domain().map(value => (isNumbers ? shortNumber(value) : percentOf(value, 0)));
  const ends = `rom ${start} at the left to ${end} at the right.`;
  const position = (value: number | undefined): string => `${toTenths(at(value ?? 0))}%`;
  const [rowsHead, ...quantiles] = head ?? [isNumbers ? 'Number' : 'Class', ...DECILES];
  // Where residuals change their sign.
  const zero = isNumbers && at(0) > 0 && at(0) < 100 && `${toTenths(at(0))}%`;
  const classes = rows.length === 1 ? 'a class' : `${countText(rows.length)} classes`;
  return figure({
    id,
    title,
    description: `The distribution of ${shows ?? (isNumbers ? 'predicted numbers' : `the probabilities of ${classes}`)}, f${ends}`,
    caption: html`F${ends} <span class="key band">from the 10th to the 90th percentile, darker towards the middle</span> <span class="key mark">median</span>`,
    height: ROW * rows.length,
    content: rows.map(({ name, mean, deciles, note }, i) => {
      const y = ROW * i;
      const [whole, value] = [nameText(name), `mean ${text(mean)}${note === undefined ? '' : ` · ${note}`}`];
      return html`<g><title>${whole}: ${value}</title>
<text class="label" x="0" y="${y + 14}">${shortened(whole, MAX_LABEL)}</text><text class="value" x="100%" y="${y + 14}" text-anchor="end">${value}</text>
<rect class="track" x="0" y="${y + 20}" width="100%" height="8" rx="2"/>${bandsOf(deciles).map(band => {
        const [low, high] = [at(band.from), at(band.to)];
        return html`<rect class="band" x="${toTenths(low)}%" y="${y + 20}" width="${toTenths(Math.max(high - low, 0.3))}%" height="8"/>`;
      })}${zero && html`<line class="grid" x1="${zero}" x2="${zero}" y1="${y + 17}" y2="${y + 31}"/>`}<line class="mark" x1="${position(medianOf(deciles))}" x2="${position(medianOf(deciles))}" y1="${y + 19}" y2="${y + 29}"/></g>`;
    }),
    numbers: {
      head: [rowsHead, 'Mean', ...quantiles],
      rows: all.map(({ name, mean, deciles }) => [
        nameText(name),
        text(mean),
        ...deciles.map(decile => text(decile)),
      ]),
    },
  });
}

/** The bands between a quantile and its counterpart, the widest first. */
const bandsOf = (quantiles: readonly number[]): { from: number; to: number }[] =>
  quantiles.slice(0, quantiles.length >> 1).map((from, i) => ({ from, to: quantiles.at(-1 - i) ?? from }));

const medianOf = (quantiles: readonly number[]): number | undefined => quantiles[quantiles.length >> 1];
