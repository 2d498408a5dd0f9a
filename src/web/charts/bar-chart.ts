import { scaleLinear } from 'd3-scale';
import { type Html, html } from '../html.ts';
import { nameText, shortened } from '../texts.ts';
import { type Figure, figure, toTenths } from './figure.ts';

interface Bar {
  /** The label as it is in the file: it is cleaned and shortened here. */
  label: string;
  value: number;
  text: string;
  /** Colours bars that are compared with each other; the first series if omitted. */
  series?: 'first' | 'baseline';
  /** An interval around the value, drawn as a line. */
  interval?: { low: number; high: number };
}

interface BarChart extends Pick<Figure, 'id' | 'title' | 'description' | 'caption' | 'numbers'> {
  bars: readonly Bar[];
  /** The value of a bar as long as the chart is wide. */
  most: number;
}

const ROW = 36;
/** About as many characters as fit on a phone. */
const MAX_LABEL = 30;

/**
 * Horizontal bars, each below its label, so that long names have room on a phone. Lengths are shares of the width: the
 * bars are as wide as the page allows, and the text keeps its size.
 */
export function barChart({ bars, most, ...chart }: BarChart): Html {
  const length = scaleLinear([0, most], [0, 100]).clamp(true);
  return figure({
    ...chart,
    height: ROW * bars.length,
    content: bars.map((bar, i) => drawBar(bar, ROW * i, length)),
  });
}

function drawBar(
  { label, value, text, series = 'first', interval }: Bar,
  top: number,
  length: (value: number) => number,
): Html {
  const whole = nameText(label);
  const middle = top + 24;
  return html`<g><title>${whole}: ${text}</title>
<text class="label" x="0" y="${top + 14}">${shortened(whole, MAX_LABEL)}</text><text class="value" x="100%" y="${top + 14}" text-anchor="end">${text}</text>
<rect class="track" x="0" y="${top + 20}" width="100%" height="8" rx="2"/><rect class="bar ${series}" x="0" y="${top + 20}" width="${toTenths(length(value))}%" height="8" rx="2"/>
${interval && html`<line class="interval" x1="${toTenths(length(interval.low))}%" x2="${toTenths(length(interval.high))}%" y1="${middle}" y2="${middle}"/>`}</g>`;
}
