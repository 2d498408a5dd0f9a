import * as z from 'zod';
import { RowcastError } from '../../base/errors.ts';
import { sanitize } from '../../base/sanitize.ts';
import { type Scope, scopes } from '../../server/auth/key-file.ts';
import type { NewKey } from '../../server/auth/key-store.ts';
import type { Principal } from '../../server/auth/principal.ts';
import { flag, type Html, html } from '../html.ts';
import { noticeBox } from '../notice.ts';
import { csrfField } from '../session/csrf.ts';
import type { Session } from '../session/sessions.ts';

/** How long a new key is valid, in days; 0 is forever. */
const lifetimes = [30, 90, 365, 0] as const;

/** A field that may occur any number of times. */
const many = z.union([z.string().transform(text => [text]), z.array(z.string())]).catch([]);

/** What was entered, which need not be valid. */
export const newKeyFields = z.object({
  name: z.string().trim().max(200).catch(''),
  scope: many,
  /** Anything but an explicit “all” is bound, so that an incomplete form never grants more. */
  bound: z
    .string()
    .catch('')
    .transform(text => text !== 'all'),
  report: many,
  days: z.coerce.number().catch(90),
});
type NewKeyFields = z.infer<typeof newKeyFields>;

export const emptyFields = newKeyFields.parse({ scope: ['predict', 'report'], bound: 'all' });

/** With more, the file of the key would be too large to be read. */
const MAX_REPORTS = 1_000;
const DAY_MS = 86_400_000;

/**
 * The key to create. It grants nothing that the key of its creator does not grant, and expires no later.
 *
 * @throws RowcastError `bad_option`, with a message for the person who filled in the form
 */
export function newKeyOf(fields: NewKeyFields, creator: Principal, now = Date.now()): NewKey {
  const chosen = scopes.filter(scope => fields.scope.includes(scope));
  if (chosen.length === 0) throw refused('Choose what the key is for.');
  const missing = chosen.find(scope => !creator.hasScope(scope));
  if (missing !== undefined) throw refused(`Your own key does not have the scope “${missing}”.`);
  if (fields.bound && fields.report.length === 0)
    throw refused('Choose the reports that the key is bound to.');
  if (!fields.bound && fields.report.length > 0)
    throw refused('You have chosen reports, but also “All reports”. Choose one of them.');
  if (fields.report.length > MAX_REPORTS) throw refused(`Choose at most ${MAX_REPORTS} reports.`);
  const foreign = fields.report.find(id => !creator.canAccess(id));
  if (foreign !== undefined) throw refused(`Your own key does not cover the report “${sanitize(foreign)}”.`);
  if (!lifetimes.some(days => days === fields.days)) throw refused('Choose how long the key is valid.');
  return {
    reports: fields.bound ? fields.report : 'all',
    scopes: chosen,
    expires: expiryOf(fields.days, creator.expires, now),
  };
}

function expiryOf(days: number, latest: number, now: number): Date | undefined {
  const end = Math.min(days === 0 ? Number.POSITIVE_INFINITY : now + days * DAY_MS, latest);
  return end === Number.POSITIVE_INFINITY ? undefined : new Date(end);
}

const refused = (message: string): RowcastError => new RowcastError('bad_option', message);

const scopeTexts: Readonly<Record<Scope, string>> = {
  predict: 'score personas and files',
  report: 'read reports',
  'testing-results': 'download testing results, which contain labelled rows',
  platform:
    'sign in to these pages; a key for all reports also administers them: it sees all uploaded rows, trains, deletes data and reports, and manages keys',
};

export interface KeyFormView {
  fields: NewKeyFields;
  reports: readonly string[];
  session: Session;
  /** Why the last attempt failed. */
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
      html`<div class="check-list" role="group" aria-label="Reports of the key" tabindex="0">${reports.map(
        id =>
          html`<label class="check"><input type="checkbox" name="report" value="${id}"${flag('checked', report.includes(id))}> <span>${id}</span></label>`,
      )}</div>`
    }
  </fieldset>`;
