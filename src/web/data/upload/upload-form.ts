import { accepted } from '../../elements/accepted-files.ts';
import { separatorField } from '../../elements/separator-field.ts';
import { type Html, html } from '../../html.ts';
import { csrfField } from '../../session/csrf.ts';
import type { Session } from '../../session/sessions.ts';

/** The empty home page: one thing to do. */
export const firstUpload = (session: Session): Html => html`<section class="empty drop" data-upload>
<h2>Upload data to learn from</h2>
<p class="lead">A CSV, JSON lines or Parquet file whose rows have a known outcome, such as customers and whether they left. Then choose the column to predict.</p>
${chooser(
  html`<form method="post" action="/platform/data/sample">${csrfField(session)}<p>No file at hand? <button class="link" type="submit">Try the sample</button>: 5,000 customers of a telecom company.</p></form>`,
)}
${progress}
</section>`;

/** The form to upload a file, on a page that has data already. */
export const uploadForm = (session: Session): Html => html`<section class="empty drop compact" data-upload>
${chooser(
  html`<form method="post" action="/platform/data/sample">${csrfField(session)}<p class="small muted">Or <button class="link" type="submit">try the sample</button>.</p></form>`,
)}
${progress}
</section>`;

/** Without JavaScript, only the sample can be used: `upload.js` enables the button. */
const chooser = (sample: Html): Html => html`<div class="stack tight" data-choose>
<div class="row">
<label class="button primary">Upload a file<input class="visually-hidden" type="file" accept="${accepted}" data-file disabled></label>
<span class="muted">CSV, JSON lines or Parquet; or drop it here</span>
</div>
${separatorField}
<noscript><p class="muted">Uploading needs JavaScript.</p></noscript>
${sample}
</div>`;

const progress = html`<div class="upload-progress stack tight" data-progress hidden>
<p class="row apart"><span data-name></span><span class="muted" data-status role="status"></span></p>
<progress max="1" value="0" aria-label="Upload" data-bar></progress>
<p><button class="button small" type="button" data-cancel>Cancel</button></p>
</div>
<div class="notice bad" role="alert" data-error hidden></div>`;
