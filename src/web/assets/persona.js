// @ts-check
// Predicts the persona in the form while it is changed. Without this module, the form loads the page again.
import { csrfToken } from './platform.js';

const WAIT_MS = 200;

/** @typedef {{ summary: string, probabilities: number[], remarks: Record<string, string>, command: string }} Prediction */

const form = /** @type {HTMLFormElement | null} */ (document.querySelector('#persona-form'));
if (form !== null) watch(form);

/** @param {HTMLFormElement} form */
function watch(form) {
  const predict = latest(() => showPrediction(form));
  const draw = latest(() => showCurve(form));
  let timer = 0;
  const update = (wait = WAIT_MS) => {
    clearTimeout(timer);
    timer = window.setTimeout(() => {
      if (hasBadInput(form)) return;
      predict();
      draw();
    }, wait);
  };
  form.addEventListener('input', () => update());
  form.addEventListener('submit', event => {
    event.preventDefault();
    update(0);
  });
  // The page starts with a typical persona.
  document.querySelector('#typical')?.addEventListener('click', event => {
    event.preventDefault();
    form.reset();
    update(0);
  });
  // Outside of the form in the page, though it belongs to it.
  document.querySelector('#along')?.addEventListener('change', () => update(0));
  // The persona may have been changed before this module was loaded.
  if (isChanged(form)) update(0);
}

/**
 * Starts what responds later, and drops the responses to all requests but the latest.
 *
 * @param {() => (signal: AbortSignal) => Promise<void>} start
 * @returns {() => void}
 */
function latest(start) {
  let requests = new AbortController();
  return () => {
    requests.abort();
    requests = new AbortController();
    const { signal } = requests;
    start()(signal).catch(error => {
      if (!signal.aborted) setText('#summary', error.message);
    });
  };
}

/** @param {HTMLFormElement} form */
function showPrediction(form) {
  const send = request(form, 'persona');
  return async (/** @type {AbortSignal} */ signal) => {
    const response = await send(signal);
    const content = await response.json();
    if (signal.aborted) return;
    showMessages(form, content.fields ?? {}, content.remarks ?? {});
    if (!response.ok) throw new Error(content.detail);
    const { summary, probabilities, command } = /** @type {Prediction} */ (content);
    setText('#summary', summary);
    setText('#curl-persona', command.replace(/https?:\/\/[^/']+/, location.origin));
    const ofItem = (/** @type {Element} */ item) =>
      probabilities[Number(item.getAttribute('data-class'))] ?? 0;
    const items = [...document.querySelectorAll('#probabilities li')];
    document
      .querySelector('#probabilities[data-ranked]')
      ?.append(...[...items].sort((a, b) => ofItem(b) - ofItem(a)));
    for (const item of items) {
      const probability = ofItem(item);
      const text = /** @type {HTMLDataElement} */ (item.querySelector('data'));
      text.value = String(probability);
      text.textContent = `${(100 * probability).toFixed(1)}%`;
      item.querySelector('.bar')?.setAttribute('width', `${100 * probability}%`);
    }
  };
}

/** @param {HTMLFormElement} form */
function showCurve(form) {
  const send = request(form, 'curve');
  return async (/** @type {AbortSignal} */ signal) => {
    const response = await send(signal);
    // Wrong fields are shown with the prediction.
    if (!response.ok) return;
    const drawn = new DOMParser().parseFromString(await response.text(), 'text/html');
    const curve = document.querySelector('#curve');
    if (signal.aborted || curve === null) return;
    const isOpen = curve.querySelector('details')?.open === true;
    curve.replaceChildren(...drawn.body.children);
    const details = curve.querySelector('details');
    if (details !== null) details.open = isOpen;
  };
}

/**
 * @param {HTMLFormElement} form
 * @param {'persona' | 'curve'} what
 * @returns {(signal: AbortSignal) => Promise<Response>}
 */
function request(form, what) {
  // As the form is now, even if it is sent later.
  const body = new URLSearchParams(/** @type {any} */ (new FormData(form)));
  const headers = { 'x-csrf-token': csrfToken(), accept: 'application/json' };
  return signal =>
    fetch(`/platform/reports/${form.dataset.report}/${what}`, { method: 'POST', body, headers, signal });
}

/**
 * A number field with other text has no value for the service, which would take it for a missing one.
 *
 * @param {HTMLFormElement} form
 */
function hasBadInput(form) {
  /** @type {Record<string, string>} */
  const errors = {};
  for (const control of form.elements)
    if (control instanceof HTMLInputElement && control.validity.badInput)
      errors[control.name] =
        control.type === 'number' ? 'Enter a number or nothing.' : 'Enter a date or nothing.';
  const isBad = Object.keys(errors).length > 0;
  if (isBad) {
    showMessages(form, errors, {});
    setText('#summary', 'Correct the marked fields.');
  }
  return isBad;
}

/**
 * @param {HTMLFormElement} form
 * @param {Record<string, string>} errors by the name of a control
 * @param {Record<string, string>} remarks
 */
function showMessages(form, errors, remarks) {
  for (const control of form.querySelectorAll('[aria-describedby]')) {
    const name = control.getAttribute('name') ?? '';
    const wrong = errors[name];
    const hint = document.getElementById(`${control.id}-hint`);
    const error = document.getElementById(`${control.id}-error`);
    if (hint === null || error === null) continue;
    control.toggleAttribute('aria-invalid', wrong !== undefined);
    if (wrong !== undefined) control.setAttribute('aria-invalid', 'true');
    hint.textContent = remarks[name] ?? hint.dataset.hint ?? '';
    hint.hidden = wrong !== undefined;
    error.textContent = wrong ?? '';
    error.hidden = wrong === undefined;
  }
}

/** @param {string} selector @param {string} text */
function setText(selector, text) {
  const element = document.querySelector(selector);
  if (element !== null && element.textContent !== text) element.textContent = text;
}

/**
 * Whether a field has another value than the page was sent with.
 *
 * @param {HTMLFormElement} form
 */
function isChanged(form) {
  return [...form.elements].some(control => {
    if (control instanceof HTMLInputElement) return control.value !== control.defaultValue;
    if (!(control instanceof HTMLSelectElement)) return false;
    return [...control.options].some(option => option.selected !== option.defaultSelected);
  });
}
