import { scopes } from '../../server/auth/key-file.ts';
import { flag, type Html, html } from '../html.ts';
import { noticeBox } from '../notice.ts';
import { csrfField } from '../session/csrf.ts';
import type { Session } from '../session/sessions.ts';
import { lifetimes, type NewKeyFields, scopeTexts } from './new-key-form.ts';

export interface KeyFormView {
  fields: NewKeyFields;
  reports: readonly string[];
  session: Session;
  message?: string | undefined;
}

/** The form that creates a key. What its creator may not grant is disabled. */
export const keyFormCard = ({ fields, reports, session, message }: KeyFormView): Html => html`
  <section class="card" aria-labelledby="new-title" id="new">
    <h2 id="new-title">New key</h2>
    <form class="stack form-narrow" method="post" action="/platform/keys">
      ${csrfField(session)}
      ${message !== undefined && noticeBox({ kind: 'bad', text: message })}
      <div class="field">
        <label for="name">Name</label>
        <input id="name" name="name" value="${fields.name}" required maxlength="64" pattern="[A-Za-z0-9][A-Za-z0-9_\\-]*"
          autocomplete="off" spellcheck="false" aria-describedby="name-hint">
        <p class="hint" id="name-hint">Letters, digits, “-” and “_”. It appears in the log.</p>
      </div>
      <fieldset class="stack tight"><legend>What it is for</legend>${scopes.map(scope => {
        const mayGrant = session.principal.hasScope(scope);
        const isChosen = mayGrant && fields.scope.includes(scope);
        return html`<label class="check"><input type="checkbox" name="scope" value="${scope}"${flag('checked', isChosen)}${flag('disabled', !mayGrant)}>
          <span><strong>${scope}</strong> <span class="muted">${scopeTexts[scope]}${!mayGrant && '; your own key lacks it'}</span></span></label>`;
      })}</fieldset>
      ${reportFields(fields, reports)}
      <div class="field">
        <label for="days">Valid for</label>
        <select id="days" name="days">${lifetimes.map(
          days =>
            html`<option value="${days}"${flag('selected', days === fields.days)}>${days === 0 ? 'until it is revoked' : `${days} days`}</option>`,
        )}</select>
      </div>
      <button class="button primary" type="submit">Create key</button>
    </form>
  </section>`;

const reportFields = ({ bound, report }: NewKeyFields, reports: readonly string[]): Html => html`
  <fieldset class="stack tight"><legend>Reports</legend>
    <label class="check"><input type="radio" name="bound" value="all"${flag('checked', !bound)}> <span>All reports, also future ones</span></label>
    <label class="check"><input type="radio" name="bound" value="some"${flag('checked', bound)}${flag('disabled', reports.length === 0)}>
      <span>Only these${reports.length === 0 && html` <span class="muted">(no reports yet)</span>`}</span></label>
    ${
      reports.length > 0 &&
      html`<div class="key-reports" role="group" aria-label="Reports of the key" tabindex="0">${reports.map(
        id =>
          html`<label class="check"><input type="checkbox" name="report" value="${id}"${flag('checked', report.includes(id))}> <span>${id}</span></label>`,
      )}</div>`
    }
  </fieldset>`;
