import { OWN_KEY } from '../server/auth/principal.ts';
import { type Html, type HtmlPart, html, named } from './html.ts';
import { csrfField } from './session/csrf.ts';
import { OWNER, type Session } from './session/sessions.ts';

interface Confirmation {
  /** Unique on the page. */
  id: string;
  /** The button that asks. */
  label: string;
  /** What the button is about, for screen readers, if there are several. */
  about?: HtmlPart;
  title: HtmlPart;
  /** What follows from it. */
  text: HtmlPart;
  /** The path that the form is sent to, and the button that sends it. */
  action: string;
  submit: string;
  /** The button that closes the question. */
  dismiss?: string;
  session: Session;
}

/** A button that asks before something is lost. It works without modules. */
export function confirmButton(asked: Confirmation): Html {
  const { id, label, about, title, text, action, submit, dismiss = 'Cancel', session } = asked;
  const more = about !== undefined && html`<span class="visually-hidden"> ${about}</span>`;
  return html`<button class="button small" type="button" popovertarget="${id}">${label}${more}</button>
<div class="confirm" id="${id}" popover role="dialog" aria-labelledby="${id}-title">
<form class="stack" method="post" action="${action}">${csrfField(session)}
<h2 id="${id}-title">${title}</h2>
<p>${text}</p>
<div class="row"><button class="button danger" type="submit">${submit}</button>
<button class="button" type="button" popovertarget="${id}" popovertargetaction="hide">${dismiss}</button></div>
</form></div>`;
}

/** A time, to the minute and in UTC: the server does not know where its users are. */
export function timeOf(iso: string): Html {
  return html`<time class="nowrap" datetime="${iso}">${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC</time>`;
}

/** Shows a time in a column whose heading says that its times are in UTC. */
export function timeInColumn(iso: string): Html {
  return html`<time class="nowrap" datetime="${iso}">${iso.slice(0, 10)} ${iso.slice(11, 16)}<span class="visually-hidden"> UTC</span></time>`;
}

/** A day, in UTC. */
export const dayOf = (iso: string): Html =>
  html`<time class="nowrap" datetime="${iso}">${iso.slice(0, 10)}</time>`;

/**
 * Who did something, in a sentence: the name of a key, the owner of the service, or whoever has the key of its
 * environment.
 */
export const person = (name: string): Html =>
  name === OWNER ? html`the owner` : name === OWN_KEY ? html`this computer` : named(name);

/** Rows of a table on one page. */
const PAGE_ROWS = 100;

/**
 * The page of a long list with a given number: the first one if that is not a page.
 *
 * @param list the parameter of the address that has the number, and how the list is called, such as `data`
 * @param anchor where on the page the list begins
 * @returns what is on it, and links to the other pages, if there are any
 */
export function pageOf<T>(
  all: readonly T[],
  given: string | undefined,
  { list, anchor }: { list: string; anchor: string },
): { shown: readonly T[]; links: Html | false } {
  const count = Math.max(1, Math.ceil(all.length / PAGE_ROWS));
  const wanted = Number(given);
  const number = Number.isInteger(wanted) && wanted >= 1 && wanted <= count ? wanted : 1;
  const link = (to: number, text: string): Html =>
    html`<a class="button small" href="?${list}=${to}#${anchor}">${text}</a>`;
  return {
    shown: all.slice((number - 1) * PAGE_ROWS, number * PAGE_ROWS),
    links:
      count > 1 &&
      html`<nav class="row" aria-label="Pages of ${list}">${number > 1 && link(number - 1, 'Newer')}<span class="muted">Page ${number} of ${count}</span>${number < count && link(number + 1, 'Older')}</nav>`,
  };
}

/**
 * Text to copy, with a button for it; the page needs the module copy.js.
 *
 * @param id unique on the page
 * @param label what the button copies, for screen readers
 */
export const copyBox = (id: string, text: string, label: string): Html =>
  html`<div class="copy"><pre class="code" id="${id}" tabindex="0">${text}</pre><button class="button small" type="button"
data-copy="${id}" aria-label="Copy ${label}">Copy</button></div>`;

/** The choice of the character between columns, closed because few files need it. */
export const separatorField = html`<details class="separator small" data-separator><summary>Not separated by commas?</summary>
<label class="field">Character between columns
<select name="delimiter" data-delimiter><option value="">comma, or tab for .tsv</option><option value=";">semicolon</option><option value="tab">tab</option><option value="|">vertical bar</option></select></label>
</details>`;

/** The files that the choosers of a browser offer. */
export const accepted = [
  ...['.csv', '.tsv', '.txt', '.jsonl', '.ndjson', '.parquet', '.pq', '.gz', '.zst'],
  ...['text/csv', 'text/tab-separated-values', 'application/x-ndjson', 'application/vnd.apache.parquet'],
  ...['application/gzip', 'application/zstd'],
].join(',');

/** Where a file is chosen; without JavaScript, only what is below it works: `upload.js` enables the button. */
export const uploadBox = (label: string, below?: Html): Html => html`<div class="stack tight" data-choose>
<div class="row">
<label class="button primary">${label}<input class="visually-hidden" type="file" accept="${accepted}" data-file disabled></label>
<span class="muted">CSV, JSON lines or Parquet; or drop it here</span>
</div>
${separatorField}
<noscript><p class="muted">Uploading needs JavaScript.</p></noscript>
${below}
</div>
<div class="upload-progress stack tight" data-progress hidden>
<p class="row apart"><span data-name></span><span class="muted" data-status role="status"></span></p>
<progress max="1" value="0" aria-label="Upload" data-bar></progress>
<p><button class="button small" type="button" data-cancel>Cancel</button></p>
</div>
<div class="notice bad" role="alert" id="upload-error" data-error hidden></div>`;
