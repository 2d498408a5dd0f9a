import { bytesText } from '../bytes-text.ts';
import { pageLinks, pageOf } from '../elements/pages.ts';
import { timeInColumn } from '../elements/times.ts';
import { type Html, html, named } from '../html.ts';
import type { Quota } from '../quota/quota.ts';
import type { Session } from '../session/sessions.ts';
import type { ListedData } from './data-store.ts';
import { deleteButton } from './delete-button.ts';
import { countText } from './texts.ts';
import { uploadForm } from './upload/upload-form.ts';

/** The uploaded data with its quota, and where more is uploaded. */
export function dataList(
  all: readonly ListedData[],
  { quota, session, page }: { quota: Quota; session: Session; page: string | undefined },
): Html {
  const listed = pageOf(all, page);
  return html`<div class="page-head"><h2 id="data">Data</h2>${quotaMeter(quota)}</div>
${uploadForm(session)}
${
  all.length > 0 &&
  html`<div class="table-box" tabindex="0" role="region" aria-label="Data">
<table>
<thead><tr><th scope="col">File</th><th scope="col" class="num">Rows</th><th scope="col" class="num">Columns</th><th scope="col" class="num">Size</th><th scope="col">Uploaded (UTC)</th><th scope="col"><span class="visually-hidden">Actions</span></th></tr></thead>
<tbody>${listed.shown.map(each => dataRow(each, session))}</tbody>
</table>
</div>${pageLinks(listed, { list: 'data', anchor: 'data' })}`
}`;
}

/** How much of the disk space for data is used. */
function quotaMeter({ used, total }: Quota): Html {
  const text = `${bytesText(used)} of ${bytesText(total)} used`;
  const width = total === 0 ? 100 : Math.min(100, (100 * used) / total);
  return html`<span class="quota"><svg class="quota-bar" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true"><rect class="quota-all" width="100" height="6" rx="3"/><rect class="quota-used" width="${width.toFixed(2)}" height="6" rx="3"/></svg><span class="small muted">${text}</span></span>`;
}

function dataRow({ id, meta }: ListedData, session: Session): Html {
  const name = meta === undefined ? html`<code>${id}</code>` : named(meta.name);
  const remove = deleteButton(id, name, session);
  if (meta === undefined)
    return html`<tr><th scope="row">${name}</th><td colspan="4"><span class="badge bad">damaged</span> <span class="muted">Delete it and upload the file again.</span></td><td><div class="row actions">${remove}</div></td></tr>`;
  return html`<tr><th scope="row"><a href="/data/${id}">${name}</a></th>
<td class="num">${countText(meta.rows)}</td>
<td class="num">${countText(meta.columns)}</td>
<td class="num">${bytesText(meta.bytes)}</td>
<td>${timeInColumn(meta.created)}</td>
<td><div class="row actions"><a class="button small" href="/data/${id}/predict">Predict<span class="visually-hidden"> with ${name}</span></a>${remove}</div></td></tr>`;
}
