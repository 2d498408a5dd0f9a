import type { StoredKey } from '../../server/auth/key-file.ts';
import { lastUseOf, listKeys } from '../../server/auth/key-store.ts';
import type { Principal } from '../../server/auth/principal.ts';
import { readMany } from '../../storage/local/read-files.ts';
import { confirmButton, copyBox, dayOf, timeOf } from '../elements.ts';
import { type Html, html } from '../html.ts';
import type { Page } from '../page.ts';
import type { Session } from '../session/sessions.ts';
import { tableBox, unseen } from '../table.ts';
import { type KeyFormView, keyFormCard } from './new-key-form.ts';

/** A key that nobody has seen yet. */
export interface NewlyCreated {
  name: string;
  key: string;
}

/** @param created keys that were just created, to be shown this once */
export const keysPage = (
  rows: readonly KeyRow[],
  created: readonly NewlyCreated[],
  form: KeyFormView,
): Page => ({
  title: 'Keys',
  current: '/keys',
  scripts: ['copy.js'],
  content: html`
    <div class="stack tight">
      <h1>API keys</h1>
      <p class="lead">A key lets a program or a person use the reports of this service. Only its hash is stored.</p>
    </div>
    ${created.map(createdCard)}
    ${rows.length === 0 ? noKeys : keyTable(rows, form.session)}
    ${keyFormCard(form)}`,
});

/** For a key that is bound to reports. */
export const noRightsPage: Page = {
  title: 'Keys',
  current: '/keys',
  content: html`
    <h1>API keys</h1>
    <div class="empty">
      <h2>Your key does not manage keys</h2>
      <p class="muted">It is bound to some reports. Whoever gave it to you can create another one that is not.</p>
    </div>`,
};

const noKeys = html`
  <div class="empty">
    <h2>No keys yet</h2>
    <p class="muted">Create one below for each program or person, so that you can revoke it alone.</p>
  </div>`;

const createdCard = ({ name, key }: NewlyCreated): Html => html`
  <section class="card stack tight created" aria-labelledby="created-${name}">
    <h2 id="created-${name}">Key “${name}” created</h2>
    <p><strong>Copy it now:</strong> it is not stored, and will not be shown again.</p>
    ${copyBox(`new-key-${name}`, key, `the key ${name}`)}
  </section>`;

const keyTable = (rows: readonly KeyRow[], session: Session): Html =>
  tableBox({
    label: 'Keys',
    head: ['Key', 'Reports', 'Scopes', 'Created', 'Last used', 'Expires', unseen('Actions')],
    rows: rows.map(row => keyRow(row, session)),
  });

function keyRow({ name, key }: KeyRow, session: Session): Html {
  const revoke =
    mayRevoke(session.principal, key) &&
    confirmButton({
      id: `revoke-${name}`,
      label: 'Revoke',
      about: name,
      title: `Revoke “${name}”?`,
      text: 'Programs that use it are refused at once. A revoked key cannot be restored.',
      action: `/platform/keys/${name}/revoke`,
      submit: 'Revoke key',
      session,
    });
  if (key === undefined)
    return html`<tr><th scope="row">${name}</th><td colspan="5"><span class="badge bad">damaged</span>
      <span class="muted">is not accepted</span></td><td class="num">${revoke}</td></tr>`;
  return html`<tr>
    <th scope="row">${name}</th>
    <td>${key.reports === 'all' ? html`<span class="muted">all</span>` : key.reports.join(', ')}</td>
    <td><span class="row tight">${key.scopes.map(scope => html`<span class="badge">${scope}</span>`)}</span></td>
    <td>${dayOf(key.created)}</td>
    <td>${key.lastUsed === undefined ? html`<span class="muted">never</span>` : timeOf(key.lastUsed)}</td>
    <td>${expiry(key)}</td>
    <td class="num">${revoke}</td>
  </tr>`;
}

function expiry({ expires, isExpired }: NonNullable<KeyRow['key']>): Html {
  if (expires === undefined) return html`<span class="muted">never</span>`;
  return isExpired ? html`<span class="badge bad">expired</span>` : dayOf(expires);
}

interface KeyRow {
  name: string;
  /** Undefined if its file is damaged. */
  key: (StoredKey & { lastUsed: string | undefined; isExpired: boolean }) | undefined;
}

/** The keys of a data directory, by name. */
export async function keyRows(home: string): Promise<KeyRow[]> {
  return readMany(await listKeys(home), async ({ name, key }) => {
    if (key === undefined) return { name, key };
    const lastUsed = await lastUseOf(home, name, key.created);
    const isExpired = key.expires !== undefined && Date.parse(key.expires) <= Date.now();
    return { name, key: { ...key, lastUsed, isExpired } };
  });
}

/**
 * Whether the holder of a key that is not bound to reports may revoke another one: only if it grants no more, and for
 * no longer. A damaged key grants nothing.
 */
export function mayRevoke(
  { hasScope, expires }: Principal,
  key: Pick<StoredKey, 'scopes' | 'expires'> | undefined,
): boolean {
  if (key === undefined) return true;
  const until = key.expires === undefined ? Number.POSITIVE_INFINITY : Date.parse(key.expires);
  return until <= expires && key.scopes.every(scope => hasScope(scope));
}
