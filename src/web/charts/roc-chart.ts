import { line } from 'd3-shape';
import { type Html, html } from '../html.ts';
import { nameText, percentOf } from '../texts.ts';
import { figure, sharePlot } from './figure.ts';

/** A point of a ROC curve. */
interface RocStep {
  falsePositives: number;
  truePositives: number;
}

interface RocChart {
  id: string;
  /** The class, as in the file. */
  name: string;
  area: number;
  /** The 95% confidence interval of the area. */
  interval?: string;
  points: readonly RocStep[];
  /** The curves of the other classes, drawn in the background. */
  others: readonly (readonly RocStep[])[];
}

const [WIDTH, HEIGHT] = [300, 290];
const area = { left: 40, top: 24, right: WIDTH - 4, bottom: HEIGHT - 40 };
/** More curves than this are a blur. */
const MAX_OTHERS = 20;
/** The false positive rates of the table. */
const rates = [0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.75, 1];

const { x, y, axes } = sharePlot({ x: 'False positive rate', y: 'True positive rate' }, area);
const draw = line<RocStep>(
  point => x(point.falsePositives),
  point => y(point.truePositives),
).digits(1);

/** How many rows of a class are found, by how many of the others are mistaken for it; chance is the diagonal. */
export function rocChart({ id, name, area: size, interval, points, others }: RocChart): Html {
  const percent = (share: number) => percentOf(share, 0);
  return figure({
    id,
    title: `ROC curve of ${nameText(name)}`,
    description: `The area under the curve is ${size.toFixed(3)}; guessing has 0.5, and a perfect model 1. ${spoken(points)}`,
    caption: html`Area under the curve (AUC): <strong>${size.toFixed(3)}</strong>${interval !== undefined && ` (95% interval ${interval})`} <span class="key baseline">guessing: 0.500</span>`,
    width: WIDTH,
    height: HEIGHT,
    content: html`${axes}
<line class="baseline" x1="${x(0)}" y1="${y(0)}" x2="${x(1)}" y2="${y(1)}"/>
${others.slice(0, MAX_OTHERS).map(curve => html`<path class="curve context" d="${draw(coarse(curve))}"/>`)}
<path class="curve first" d="${draw(points)}"/>`,
    numbers: {
      head: ['False positive rate', 'True positive rate'],
      rows: rates.map(rate => [percent(rate), percentOf(heightAt(points, rate))]),
    },
  });
}

/** Curves in the background need fewer points. */
const coarse = (points: readonly RocStep[]): RocStep[] =>
  points.filter((_, i) => i % 4 === 0 || i === points.length - 1);

const spoken = (points: readonly RocStep[]): string =>
  `At a false positive rate of 10 %, the true positive rate is ${percentOf(heightAt(points, 0.1))}.`;

/** The true positive rate at a false positive rate, on the straight lines between points. */
export function heightAt(points: readonly RocStep[], rate: number): number {
  const after = points.findLastIndex(point => point.falsePositives <= rate);
  const [from, to] = [points[after], points[after + 1]];
  if (from === undefined) return 0;
  if (to === undefined) return from.truePositives;
  const share = (rate - from.falsePositives) / (to.falsePositives - from.falsePositives);
  return from.truePositives + share * (to.truePositives - from.truePositives);
}
