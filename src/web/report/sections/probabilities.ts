import { nameText, percentText } from '../../charts/text.ts';
import { type Html, html, named } from '../../html.ts';
import { classOrder } from '../class-order.ts';
import type { ReportView } from '../report-view.ts';

/** More classes than this are not all in view. */
const MAX_IN_VIEW = 12;

/**
 * The probabilities of the persona as bars, with the share of each class in the testing rows as a mark. If there are more than
 * are in view, the most likely are first: `persona.js` keeps them so.
 */
export function probabilityList({ report: { classes }, evaluation, persona }: ReportView): Html {
  const { probabilities } = persona;
  const isRanked = classes.length > MAX_IN_VIEW;
  const order = classOrder(classes);
  if (isRanked && probabilities !== undefined)
    order.sort((a, b) => (probabilities[b] ?? 0) - (probabilities[a] ?? 0));
  const items = order.map(index => {
    const probability = probabilities?.[index];
    const share = evaluation && (evaluation.classes[index]?.rows ?? 0) / Math.max(1, evaluation.rows);
    return html`<li data-class="${index}"><span class="name">${named(classes[index] ?? '')}</span><data value="${probability ?? ''}">${probability === undefined ? '–' : percentText(probability)}</data>
<svg class="plot" width="100%" height="12" aria-hidden="true"><rect class="track" y="2" width="100%" height="8" rx="2"/><rect class="bar first" y="2" width="${100 * (probability ?? 0)}%" height="8" rx="2"/>${
      share !== undefined &&
      html`<line class="mark" x1="${100 * share}%" x2="${100 * share}%" y1="0" y2="12"/>`
    }</svg></li>`;
  });
  return html`<div class="row apart"><h3 id="probabilities-heading">Probabilities</h3>${evaluation && html`<span class="key mark small">share in the data</span>`}</div>
<p id="summary" class="lead" role="status">${summaryOf(classes, probabilities)}</p>
<ul class="probabilities" id="probabilities" aria-labelledby="probabilities-heading"${isRanked && html` data-ranked tabindex="0"`}>${items}</ul>`;
}

/** A sentence about the most likely class. */
export function summaryOf(classes: readonly string[], probabilities: Float64Array | undefined): string {
  if (probabilities === undefined) return 'Correct the marked fields.';
  const best = probabilities.indexOf(Math.max(...probabilities));
  return `Most likely ${nameText(classes[best] ?? '')}, ${percentText(probabilities[best] ?? 0)}`;
}
