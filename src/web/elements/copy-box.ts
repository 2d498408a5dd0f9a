import { type Html, html } from '../html.ts';

/**
 * Text to copy, with a button for it; the page needs the module copy.js.
 *
 * @param id unique on the page
 * @param label what the button copies, for screen readers
 */
export const copyBox = (id: string, text: string, label: string): Html =>
  html`<div class="copy"><pre class="code" id="${id}" tabindex="0">${text}</pre><button class="button small" type="button"
data-copy="${id}" aria-label="Copy ${label}">Copy</button></div>`;
