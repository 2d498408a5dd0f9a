import type { Evaluation } from '../../../evaluate/evaluation.ts';
import { DEFAULT_PREFIX } from '../../../formats/appended.ts';
import { uploadBox } from '../../elements.ts';
import { flag, type Html, html } from '../../html.ts';
import { nameText } from '../../texts.ts';

/** The choice of rows in order; that of a column is its index, because a name may be anything. */
export const IN_ORDER = 'row';

/** Columns of a key, and of segments, that can be chosen: the figures of each segment take memory. */
export const MAX_CHOSEN = 5;

const isPrediction = (column: string): boolean =>
  column.startsWith(`${DEFAULT_PREFIX}_`) || column.startsWith('predicted_');

/**
 * The form that takes a file of outcomes.
 *
 * @param columns of the output
 * @param known what was evaluated before, and chosen for it
 */
export function evaluationForm(
  id: string,
  columns: readonly string[],
  predicts = '',
  known?: Evaluation,
): Html {
  const inOrder = known?.joined.by === 'row';
  const chosen = { key: known?.joined.key ?? [], by: known?.segments.map(({ by }) => by) ?? [] };
  const choices = (name: 'key' | 'by', label: string): Html =>
    html`<div class="check-list" role="group" aria-label="${label}" tabindex="0">${columns.map(
      (column, index) =>
        !isPrediction(column) &&
        html`<label class="check"><input type="checkbox" name="${name}" value="${index}" data-field${flag('checked', chosen[name].includes(column))}> <span>${nameText(column)}</span></label>`,
    )}</div>`;
  return html`
<section class="card stack" aria-labelledby="outcomes" data-upload="/platform/runs/${id}/evaluation">
<h2 id="outcomes">Outcomes</h2>
<p class="muted">A file that says what came true: for all of the scored rows, or for some. It is deleted once it is evaluated.</p>
<div class="field"><label for="outcome">Column with the outcome</label>
<input id="outcome" name="outcome" value="${predicts}" autocomplete="off" data-field></div>
<fieldset class="stack tight"><legend>Which outcome belongs to which row</legend>
<label class="check"><input type="radio" name="join" value="" data-field${flag('checked', !inOrder)}> <span>These columns have the same values in both files <span class="muted">(choose none if there is only one such column)</span></span></label>
${choices('key', 'Columns that both files have')}
<label class="check"><input type="radio" name="join" value="${IN_ORDER}" data-field${flag('checked', inOrder)}> <span>Both files have the same rows in the same order</span></label>
</fieldset>
<fieldset class="stack tight"><legend>Also evaluate each value of <span class="muted">(optional)</span></legend>
${choices('by', 'Columns whose values are evaluated on their own')}
<p class="hint">Such as a month or a region: at most ${MAX_CHOSEN} columns, and 50 values of each.</p>
</fieldset>
${uploadBox('Choose the outcomes', html`<p data-again hidden><button class="button" type="button">Evaluate the same file again</button></p>`)}
</section>`;
}
