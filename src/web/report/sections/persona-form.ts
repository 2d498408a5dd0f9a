import { isImported, isOfNumbers, type NumbersReport } from '../../../base/contract/schemas.ts';
import { classRows } from '../../../training/learn/evaluation.ts';
import { flag, type Html, html, named } from '../../html.ts';
import { csrfField } from '../../session/csrf.ts';
import { countText, nameText, numberText, percentOf } from '../../texts.ts';
import { classOrder } from '../class-order.ts';
import { MAX_FIELDS, type PersonaField } from '../persona/fields.ts';
import type { PersonaView } from '../persona/persona-view.ts';
import { controlText } from '../persona/read-form.ts';
import { curveFigure } from '../persona/response-curve.ts';
import type { ClassesReport, ReportView } from '../report-view.ts';

/** Fields that are shown at once: more are opened, so that a table of 100 columns stays clear. */
const MAX_OPEN = 8;
/** With hardly more, all are shown. */
const MAX_ALL = 12;
/** Values that are suggested while one is typed. */
const MAX_SUGGESTIONS = 100;
const MAX_SUGGESTIONS_IN_ALL = 10_000;
/** Columns to choose from for the curve. */
const MAX_ALONG = 300;

const FORM = 'persona-form';

/** A form with every column, the probabilities of the persona in it, and how they change along one column. */
export function personaForm(view: ReportView): Html {
  const { report, session, persona } = view;
  const fields = view.fields.slice(0, MAX_FIELDS);
  const others = view.fields.length - fields.length;
  const suggestions = Math.min(MAX_SUGGESTIONS, Math.floor(MAX_SUGGESTIONS_IN_ALL / fields.length));
  if (!session.principal.hasScope('predict'))
    return html`<section class="card" aria-labelledby="persona"><h2 id="persona">Try a persona</h2>
<p>Your key does not have the scope <code>predict</code>, which predictions need.</p></section>`;
  const open = fields.length <= MAX_ALL ? fields : fields.slice(0, MAX_OPEN);
  const rest = fields.slice(open.length);
  const hasErrors = rest.some(({ key }) => persona.errors.has(key));
  return html`<section class="card stack" aria-labelledby="persona"><h2 id="persona">Try a persona</h2>
<p class="muted">The form starts with typical values: the median of each number and date, and the ${isImported(report) ? 'first' : 'most frequent'} category. An empty field is a missing value. Next to each column is its impact.</p>
<div class="persona">
<form class="stack" id="${FORM}" method="post" action="/predictions/${report.id}#persona" data-report="${report.id}" autocomplete="off" novalidate>${csrfField(session)}
<div class="fields">${open.map(field => control(field, persona, suggestions))}</div>
${
  rest.length > 0 &&
  html`<details${flag('open', hasErrors)}><summary>${countText(rest.length)} more columns, with less impact</summary><div class="fields">${rest.map(field => control(field, persona, suggestions))}</div></details>`
}
${others > 0 && html`<p class="muted">${countText(others)} columns with even less impact have typical values.</p>`}
<div class="row"><button class="button primary" type="submit">Predict</button><a class="button" id="typical" href="/predictions/${report.id}?persona=typical#persona">Typical persona</a></div>
</form>
<div class="stack answer">
${isOfNumbers(report) ? predictedNumber(report, persona) : probabilityList(report, persona)}
${along(view)}
</div></div></section>`;
}

function along({ report, fields, persona }: ReportView): Html | undefined {
  const field = persona.along;
  if (field === undefined) return undefined;
  const options = fields
    .slice(0, MAX_ALONG)
    .map(
      ({ key, name }) =>
        html`<option value="${key}"${flag('selected', key === field.key)}>${nameText(name)}</option>`,
    );
  return html`<div class="field"><label for="along">How ${isOfNumbers(report) ? 'it changes' : 'they change'} along a column</label>
<select id="along" name="along" form="${FORM}">${options}</select></div>
<div id="curve">${persona.errors.size === 0 && curveFigure(field, persona.curve, report, controlText(persona.values, field.key))}</div>`;
}

function control(field: PersonaField, { values, errors, remarks }: PersonaView, suggestions: number): Html {
  const { key, name, impact } = field;
  const id = `field-${key}`;
  const error = errors.get(key);
  const hint = remarks.get(key) ?? field.hint;
  return html`<div class="field"><div class="row apart field-head"><label for="${id}">${named(name)}</label>${
    impact !== undefined && html`<span class="small muted" title="Impact">${percentOf(impact)}</span>`
  }</div>
${inputOf(field, { id, text: controlText(values, key), isWrong: error !== undefined, suggestions })}
<span class="hint" id="${id}-hint" data-hint="${field.hint}"${flag('hidden', error !== undefined)}>${hint}</span><span class="error" id="${id}-error"${flag('hidden', error === undefined)}>${error}</span></div>`;
}

interface Input {
  id: string;
  text: string;
  isWrong: boolean;
  /** The most values that are suggested. */
  suggestions: number;
}

function inputOf({ key, kind }: PersonaField, { id, text, isWrong, suggestions }: Input): Html {
  const shared = html`id="${id}" name="${key}" aria-describedby="${id}-hint ${id}-error"${isWrong && html` aria-invalid="true"`}`;
  switch (kind.type) {
    case 'number':
      return html`<input type="number" ${shared} step="${stepOf(kind.profile)}" value="${text}">`;
    case 'date':
      return html`<input type="${kind.hasTime ? 'datetime-local' : 'date'}" ${shared} value="${text}">`;
    case 'choice': {
      const options = kind.levels.map(
        (level, i) =>
          html`<option value="${i}"${flag('selected', text === String(i))}>${nameText(level)}</option>`,
      );
      return html`<select ${shared}><option value=""${flag('selected', text === '')}>(missing)</option>${options}</select>`;
    }
    case 'text': {
      const options = kind.levels
        .slice(0, suggestions)
        .map(level => html`<option value="${level}"></option>`);
      return html`<input type="text" ${shared} value="${text}" list="${id}-list" spellcheck="false"><datalist id="${id}-list">${options}</datalist>`;
    }
  }
}

/** The arrow keys go through the range in about a hundred steps; other values are allowed too. */
function stepOf(profile: { low: number; high: number; isWhole: boolean } | undefined): string {
  if (profile === undefined || profile.low === profile.high) return 'any';
  const power = Math.floor(Math.log10((profile.high - profile.low) / 100));
  const step = 10 ** Math.min(20, Math.max(profile.isWhole ? 0 : -20, power));
  return String(Number(step.toPrecision(1)));
}

/** More classes than this are not all in view. */
const MAX_IN_VIEW = 12;

/**
 * The probabilities of the persona as bars, with the share of each class in the testing rows as a mark. If there are
 * more than are in view, the most likely are first: `persona.js` keeps them so.
 */
function probabilityList(report: ClassesReport, persona: PersonaView): Html {
  const { classes, quality } = report;
  const rows = classRows(quality.confusion);
  const { probabilities } = persona;
  const isRanked = classes.length > MAX_IN_VIEW;
  const order = classOrder(classes);
  if (isRanked && probabilities !== undefined)
    order.sort((a, b) => (probabilities[b] ?? 0) - (probabilities[a] ?? 0));
  const items = order.map(index => {
    const probability = probabilities?.[index];
    const share = (rows[index] ?? 0) / quality.testing_rows;
    return html`<li data-class="${index}"><span class="name">${named(classes[index] ?? '')}</span><data value="${probability ?? ''}">${probability === undefined ? '–' : percentOf(probability)}</data>
<svg class="plot" width="100%" height="12" aria-hidden="true"><rect class="track" y="2" width="100%" height="8" rx="2"/><rect class="bar first" y="2" width="${100 * (probability ?? 0)}%" height="8" rx="2"/><line class="mark" x1="${100 * share}%" x2="${100 * share}%" y1="0" y2="12"/></svg></li>`;
  });
  return html`<div class="row apart"><h3 id="probabilities-heading">Probabilities</h3><span class="key mark small">share in the data</span></div>
<p id="summary" class="lead" role="status">${predictionText(report, probabilities)}</p>
<ul class="probabilities" id="probabilities" aria-labelledby="probabilities-heading"${isRanked && html` data-ranked tabindex="0"`}>${items}</ul>`;
}

function predictedNumber(report: NumbersReport, { probabilities }: PersonaView): Html {
  return html`<h3>Predicted ${named(report.predicts)}</h3>
<p id="summary" class="lead" role="status">${predictionText(report, probabilities)}</p>
<p class="small muted">Half of the testing rows are at most ${numberText(report.quality.median_error)} from their prediction.</p>`;
}

/** What is predicted for a persona, as a sentence. */
export function predictionText(report: ReportView['report'], predicted: Float64Array | undefined): string {
  if (predicted === undefined) return 'Correct the marked fields.';
  if (!isOfNumbers(report)) return mostLikelyText(report.classes, predicted);
  const [value = Number.NaN] = predicted;
  const { deciles } = report.quality;
  const below = deciles.filter(({ to }) => to < value).reduce((sum, { rows }) => sum + rows, 0);
  const share = below / Math.max(1, report.quality.testing_rows);
  return `${numberText(value)}, more than is predicted for ${percentOf(share, 0)} of the testing rows`;
}

/** A sentence about the most likely class. */
function mostLikelyText(classes: readonly string[], probabilities: Float64Array): string {
  const best = probabilities.indexOf(Math.max(...probabilities));
  return `Most likely ${nameText(classes[best] ?? '')}, ${percentOf(probabilities[best] ?? 0)}`;
}
