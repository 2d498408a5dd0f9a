// @ts-check
// Sends a file to be scored, shows how far it is, and follows the runs that are going on.
import { follow } from './events.js';
import { csrfToken, send } from './platform.js';

/** @typedef {{ id: string, status: string, rows: { read: number, rejected: number } }} Run */

const form = document.querySelector('#score');
if (form instanceof HTMLFormElement) prepare(form);

/** Browsers open six connections to a host at most. */
const MAX_FOLLOWED = 3;
for (const row of [...document.querySelectorAll('[data-run][data-status="running"]')].slice(0, MAX_FOLLOWED))
  if (row instanceof HTMLElement)
    follow(
      `/platform/runs/${row.dataset.run}/events`,
      state => show(row, state),
      () => {},
    );

/**
 * @param {HTMLElement} row
 * @param {Run} run
 */
function show(row, { status, rows }) {
  find(row, '[data-rows]').textContent = count(rows.read);
  find(row, '[data-rejected]').textContent = count(rows.rejected);
  if (status !== 'running') location.reload();
  return status === 'running';
}

/** @param {HTMLFormElement} form */
function prepare(form) {
  const input = form.querySelector('input[type="file"]');
  const drop = find(form, '[data-drop]');
  if (!(input instanceof HTMLInputElement)) return;
  form.addEventListener('submit', event => event.preventDefault());
  input.addEventListener('change', () => begin(input.files?.[0]));
  for (const type of ['dragenter', 'dragover'])
    drop.addEventListener(type, event => {
      event.preventDefault();
      drop.classList.add('over');
    });
  drop.addEventListener('dragleave', () => drop.classList.remove('over'));
  drop.addEventListener('drop', event => {
    event.preventDefault();
    drop.classList.remove('over');
    begin(event.dataTransfer?.files[0]);
  });
  input.disabled = false; // A file that is chosen before this module is loaded would not be scored.

  /** @param {File | undefined} file */
  function begin(file) {
    if (file === undefined || drop.hidden) return;
    find(form, '[data-error]').hidden = true;
    score(form, file).catch(error => {
      find(form, '[data-error]').textContent = error.message;
      find(form, '[data-error]').hidden = false;
      find(form, '[data-progress]').hidden = true;
      drop.hidden = false;
    });
  }
}

/**
 * @param {HTMLFormElement} form
 * @param {File} file
 */
async function score(form, file) {
  const data = new FormData(form);
  const report = data.get('report');
  const delimiter = data.get('delimiter') || undefined;
  const response = await send('/platform/runs', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ report, file: file.name, delimiter }),
  });
  /** @type {Run} */
  const { id } = await response.json();
  find(form, '[data-drop]').hidden = true;
  find(form, '[data-progress]').hidden = false;
  const text = find(form, '[data-text]');
  const bar = find(form, 'progress');
  text.textContent = `Sending ${file.name}.`;
  const request = new XMLHttpRequest();
  const leaving = (/** @type {Event} */ event) => event.preventDefault();
  addEventListener('beforeunload', leaving);
  request.upload.onprogress = ({ loaded }) =>
    bar.setAttribute('value', String(loaded / Math.max(1, file.size)));
  let stop = () => {};
  find(form, '[data-cancel]').onclick = () => {
    stop();
    request.abort();
  };
  await new Promise((resolve, reject) => {
    // The run goes on without this page once the file has arrived, or fails before.
    stop = follow(
      `/platform/runs/${id}/events`,
      (/** @type {Run} */ { status }) => {
        if (status !== 'waiting') resolve(undefined);
        return status === 'waiting';
      },
      () => {},
    );
    request.onload = resolve;
    request.onabort = () => send(`/platform/runs/${id}`, { method: 'DELETE' }).then(resolve, reject);
    request.onerror = () => reject(new Error('The connection was lost before the end of the file.'));
    request.open('PUT', `/platform/runs/${id}/input`);
    request.setRequestHeader('content-type', 'application/octet-stream');
    request.setRequestHeader('x-csrf-token', csrfToken());
    request.send(file);
  }).finally(() => {
    stop();
    removeEventListener('beforeunload', leaving);
  });
  location.assign(`/runs?report=${encodeURIComponent(String(report))}&run=${id}`);
}

/**
 * @param {Element} within
 * @param {string} selector
 * @returns {HTMLElement}
 */
function find(within, selector) {
  const found = within.querySelector(selector);
  if (found instanceof HTMLElement) return found;
  throw new Error(`the page has no ${selector}`);
}

/** @param {number} rows */
const count = rows => rows.toLocaleString('en-US');
