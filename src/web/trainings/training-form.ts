import { defaultId } from '../../training/train.ts';
import type { DataMeta } from '../data/data-files.ts';
import { flag, type Html, html } from '../html.ts';
import { csrfField } from '../session/csrf.ts';
import type { Session } from '../session/sessions.ts';
import { sentence } from '../texts.ts';
import type { PredictionTarget } from './target.ts';

/** What the form holds: as typed, or the defaults. */
export interface TrainingValues {
  report: string;
  replace: boolean;
  target: TargetChoice;
  bins: string;
  seed: string;
}

/** What is predicted of a column: its values as classes, numbers, or ranges of numbers as classes. */
export const targetChoices = ['classes', 'numbers', 'ranges'] as const;
export type TargetChoice = (typeof targetChoices)[number];

/** What training chooses by itself. */
export const defaultTarget = ({ kind }: PredictionTarget): TargetChoice =>
  kind === 'amounts' ? 'numbers' : 'classes';

const DEFAULT_BINS = '4';
export const DEFAULT_SEED = '1';

export const defaultValues = (meta: DataMeta, column: string, target: PredictionTarget): TrainingValues => ({
  report: defaultId(meta.name, column),
  replace: false,
  target: defaultTarget(target),
  bins: DEFAULT_BINS,
  seed: DEFAULT_SEED,
});

interface TrainingFormOptions {
  session: Session;
  meta: DataMeta;
  /** The index of the column to predict. */
  column: number;
  /** Whether the column holds numbers, which can be predicted as such, or divided into ranges. */
  isNumeric: boolean;
  target: PredictionTarget;
  values: TrainingValues;
  /** Whether there is a report with the id in `values`. */
  exists: boolean;
  /** What is wrong with the values, if the form was sent. */
  error: string | undefined;
  /** Whether a training is running, so that no other one can start. */
  isBusy: boolean;
}

/** The form that starts a training; it works without scripts. */
export function trainingForm(options: TrainingFormOptions): Html {
  const { session, meta, column, isNumeric, values, exists, error, isBusy } = options;
  const describedBy = error === undefined ? 'report-hint' : 'report-hint form-error';
  return html`
    <form class="card stack" method="post" action="/platform/trainings">
      ${error !== undefined && html`<p class="error" id="form-error" role="alert">${sentence(error)}</p>`}
      <div class="field">
        <label for="report">Report ID</label>
        <input id="report" name="report" value="${values.report}" maxlength="64" pattern="[A-Za-z0-9][A-Za-z0-9_\\-]*"
          autocomplete="off" spellcheck="false" aria-describedby="${describedBy}" required${invalid(error)}>
        <p class="hint" id="report-hint">The last part of the report’s address: <code>/predictions/${values.report}</code>.
          Letters, digits, “-” and “_”.</p>
      </div>
      <label class="check"><input type="checkbox" name="replace" value="yes"${flag('checked', values.replace)}>
        <span>Replace the report if there is one with this ID${
          exists && html` <span class="badge warn">there is one</span>`
        }</span></label>
      ${isNumeric && targetFields(options)}
      <details${flag('open', values.seed !== DEFAULT_SEED)}>
        <summary>More options</summary>
        <div class="field">
          <label for="seed">Random seed</label>
          <input id="seed" name="seed" type="number" min="0" step="1" value="${values.seed}" aria-describedby="seed-hint">
          <p class="hint" id="seed-hint">For splitting into training and testing rows. The same data and seed give the same report.</p>
        </div>
      </details>
      <div class="row"><button class="button primary" type="submit"${flag('disabled', isBusy)}>Start training</button>
        ${isBusy && html`<span class="muted">Only one training runs at a time.</span>`}
        ${csrfField(session)}
        <input type="hidden" name="data" value="${meta.id}">
        <input type="hidden" name="column" value="${column}"></div>
    </form>`;
}

function targetFields({ target, values }: TrainingFormOptions): Html {
  const option = (value: TargetChoice, text: string): Html =>
    html`<option value="${value}"${flag('selected', values.target === value)}>${text}</option>`;
  return html`<div class="field">
    <label for="target">What is predicted</label>
    <select id="target" name="target" aria-describedby="target-hint">${option('numbers', 'The number')}
      ${target.kind === 'classes' && option('classes', 'Each number as a class, with a probability')}
      ${option('ranges', 'Ranges of the number, each with a probability')}</select>
    <p class="hint" id="target-hint">${
      target.kind === 'classes'
        ? 'The column has few different numbers, so they may be classes, such as grades.'
        : 'The column has many different numbers.'
    }</p>
  </div>
  <div class="field">
    <label for="bins">Ranges</label>
    <input id="bins" name="bins" type="number" min="2" max="20" step="1" value="${values.bins}" aria-describedby="bins-hint">
    <p class="hint" id="bins-hint">If ranges are predicted: how many, with about the same number of rows each.</p>
  </div>`;
}

const invalid = (error: string | undefined): Html | false =>
  error !== undefined && html` aria-invalid="true"`;
