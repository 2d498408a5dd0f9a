// @ts-check
// Uploads a chosen or dropped file, with progress.
import { csrfToken } from './platform.js';

const CHECKING = 'Checking the last rows…';

/**
 * @template {Element} T
 * @param {Element} root
 * @param {string} name
 * @param {new () => T} type
 * @returns {T}
 */
function part(root, name, type) {
  const found = root.querySelector(`[data-${name}]`);
  if (!(found instanceof type)) throw new Error(`there is no ${name}`);
  return found;
}

for (const root of document.querySelectorAll('[data-upload]')) {
  const choose = part(root, 'choose', HTMLElement);
  const progress = part(root, 'progress', HTMLElement);
  const status = part(root, 'status', HTMLElement);
  const bar = part(root, 'bar', HTMLProgressElement);
  const error = part(root, 'error', HTMLElement);
  const input = part(root, 'file', HTMLInputElement);
  const cancel = part(root, 'cancel', HTMLButtonElement);
  /** The button that uploads the same file again, where there are fields to correct. */
  const again = root.querySelector('[data-again]');
  const fields = [...root.querySelectorAll('[data-field]')].filter(isField);
  /** @type {File | undefined} */
  let last;
  /** @type {XMLHttpRequest | undefined} */
  let request;

  /** @param {boolean} isUploading */
  const show = isUploading => {
    choose.hidden = isUploading;
    progress.hidden = !isUploading;
  };

  /**
   * @param {string} text
   * @param {string} [name] the field beside which it is shown
   */
  const fail = (text, name) => {
    request = undefined;
    show(false);
    const field = fields.find(each => each.name === name);
    for (const each of fields) each.removeAttribute('aria-describedby');
    field?.setAttribute('aria-describedby', error.id);
    (field?.closest('.field, fieldset') ?? root).append(error);
    error.textContent = text;
    error.hidden = text === '';
    input.value = '';
    if (again instanceof HTMLElement) again.hidden = last === undefined;
    field?.focus();
    // The message says to choose the character, which is hidden for most users.
    if (/separates the columns/.test(text)) part(root, 'separator', HTMLDetailsElement).open = true;
  };

  /** @param {File} file */
  const upload = file => {
    const xhr = new XMLHttpRequest();
    request = xhr;
    last = file;
    error.hidden = true;
    part(root, 'name', HTMLElement).textContent = file.name;
    status.textContent = 'Starting…';
    bar.value = 0;
    show(true);
    cancel.focus();
    xhr.upload.onprogress = ({ loaded, total }) => {
      bar.value = loaded / total;
      status.textContent =
        loaded === total ? CHECKING : `${Math.floor((100 * loaded) / total)}% of ${sizeText(total)}`;
    };
    xhr.upload.onload = () => {
      bar.removeAttribute('value');
      status.textContent = CHECKING;
    };
    xhr.onerror = () =>
      fail('The connection broke. Check that the service runs, then upload the file again.');
    xhr.onload = () => {
      if (xhr.status === 201) location.assign(xhr.getResponseHeader('location') ?? '');
      else fail(...explanation(xhr));
    };
    const values = new URLSearchParams();
    for (const field of fields)
      if (!/checkbox|radio/.test(field.type) || field.checked) values.append(field.name, field.value);
    const path = root instanceof HTMLElement ? root.dataset.upload : '';
    xhr.open('POST', `${path || '/platform/data'}?${values}`);
    xhr.setRequestHeader('content-type', 'application/octet-stream');
    xhr.setRequestHeader('x-csrf-token', csrfToken());
    xhr.setRequestHeader('x-file-name', encodeURIComponent(file.name));
    const { value } = part(root, 'delimiter', HTMLSelectElement);
    if (value !== '') xhr.setRequestHeader('x-delimiter', value);
    xhr.send(file);
  };

  input.addEventListener('change', () => {
    const [file] = input.files ?? [];
    if (file !== undefined) upload(file);
  });
  again?.addEventListener('click', () => last && upload(last));
  cancel.addEventListener('click', () => {
    request?.abort();
    fail('');
    input.focus();
  });

  root.addEventListener('dragover', event => {
    event.preventDefault();
    root.classList.add('over');
  });
  root.addEventListener('dragleave', () => root.classList.remove('over'));
  root.addEventListener('drop', event => {
    event.preventDefault();
    root.classList.remove('over');
    const files = event instanceof DragEvent ? (event.dataTransfer?.files ?? []) : [];
    if (request !== undefined || files.length === 0) return;
    const [file] = files;
    if (files.length > 1) fail('Drop one file at a time.');
    else if (file !== undefined) upload(file);
  });
  input.disabled = false; // A file that is chosen before this module is loaded would not be uploaded.
}

/**
 * @param {Element} element
 * @returns {element is HTMLInputElement}
 */
function isField(element) {
  return element instanceof HTMLInputElement;
}

/**
 * @param {XMLHttpRequest} xhr
 * @returns {[text: string, field?: string]}
 */
function explanation(xhr) {
  try {
    const { detail, field } = JSON.parse(xhr.responseText);
    return [detail, field];
  } catch {
    return [`The service answered with ${xhr.status}.`];
  }
}

/**
 * @param {number} bytes
 * @returns {string}
 */
function sizeText(bytes) {
  const units = ['bytes', 'KiB', 'MiB', 'GiB'];
  let [value, unit] = [bytes, 0];
  for (; value >= 1000 && unit < 3; unit++) value /= 1024;
  return `${value.toFixed(unit === 0 || value >= 100 ? 0 : 1)} ${units[unit]}`;
}
