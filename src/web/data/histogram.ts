import { type Html, html } from '../html.ts';
import type { Histogram } from './profile/profile-shape.ts';

const WIDTH = 150;
const HEIGHT = 28;
const GAP = 1;
/** Ranges with values are always visible. */
const MIN_HEIGHT = 1.5;
const DAY_MS = 86_400_000;

/** A small picture of how the values of a column are distributed, with its range below. */
export function histogramPicture(histogram: Histogram, type: 'numerical' | 'date'): Html {
  const { low, high, median, counts } = histogram;
  const text = (value: number): string => (type === 'date' ? dayText(value) : numberText(value));
  const most = Math.max(...counts, 1);
  const width = WIDTH / counts.length;
  const bars = counts.map((count, i) => {
    const height = count === 0 ? 0 : Math.max(MIN_HEIGHT, (count / most) * HEIGHT);
    const [x, y] = [rounded(i * width), rounded(HEIGHT - height)];
    return html`<rect class="bar" x="${x}" y="${y}" width="${rounded(width - GAP)}" height="${rounded(height)}"/>`;
  });
  const description = `From ${text(low)} to ${text(high)}, median ${text(median)}`;
  return html`<span class="spark"><svg class="histogram" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" role="img" aria-label="${description}"><title>${description}</title>${bars}</svg>
<span class="spark-range small muted"><span>${text(low)}</span><span>${text(high)}</span></span></span>`;
}

const rounded = (value: number): number => Math.round(value * 100) / 100;

const numberText = (value: number): string =>
  Math.abs(value) >= 1e15 || (value !== 0 && Math.abs(value) < 1e-4)
    ? value.toExponential(2)
    : value.toLocaleString('en-US', { maximumSignificantDigits: 6 });

/** Days since 1970 as a date. */
function dayText(days: number): string {
  const date = new Date(Math.floor(days) * DAY_MS);
  return Number.isNaN(date.getTime()) ? numberText(days) : date.toISOString().slice(0, 10);
}
