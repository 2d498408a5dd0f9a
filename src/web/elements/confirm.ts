import { type Html, html, type Part } from '../html.ts';
import { csrfField } from '../session/csrf.ts';
import type { Session } from '../session/sessions.ts';

export interface Confirmation {
  /** Unique on the page. */
  id: string;
  /** The button that asks. */
  label: string;
  /** What the button is about, for screen readers, if there are several. */
  about?: Part;
  /** The question. */
  title: Part;
  /** What follows from it. */
  text: Part;
  /** The route that is called, and the button that calls it. */
  action: string;
  submit: string;
  /** The button that closes the question. */
  dismiss?: string;
  session: Session;
}

/** A button that asks before something is lost. It works without modules. */
export function confirmButton({
  id,
  label,
  about,
  title,
  text,
  action,
  submit,
  dismiss = 'Cancel',
  session,
}: Confirmation): Html {
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
