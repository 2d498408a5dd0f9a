import { uploadBox } from '../../elements.ts';
import { flag, type Html, html } from '../../html.ts';
import { nameText } from '../../texts.ts';

/** The choice of rows in order; that of a column is its index, because a name may be anything. */
export const IN_ORDER = 'row';

interface EvaluationFormOptions {
  id: string;
  /** The columns of the output. */
  columns: readonly string[];
  predicts: string | undefined;
  /** How outcomes were joined before. */
  key: string | undefined;
}

/** The form that takes a file of outcomes. */
export const evaluationForm = ({ id, columns, predicts = '', key }: EvaluationFormOptions): Html => html`
<section class="card stack" aria-labelledby="outcomes" data-upload="/platform/runs/${id}/evaluation">
<h2 id="outcomes">Outcomes</h2>
<p class="muted">A file that says what came true: for all of the scored rows, or for some. It is deleted once it is evaluated.</p>
<div class="field"><label for="join">Which outcome belongs to which row</label>
<select id="join" name="join" data-field><option value="">by the column that both files have</option>
<option value="${IN_ORDER}">both files have the same rows in the same order</option>
${columns.map((name, index) => html`<option value="${index}"${flag('selected', name === key)}>by ${nameText(name)}</option>`)}</select></div>
<div class="field"><label for="outcome">Column with the outcome</label>
<input id="outcome" name="outcome" value="${predicts}" autocomplete="off" data-field></div>
${uploadBox('Choose the outcomes')}
</section>`;
