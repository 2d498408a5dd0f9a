import { type Html, html } from '../html.ts';

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
