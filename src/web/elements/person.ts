import { type Html, html, named } from '../html.ts';
import { OWNER } from '../session/sessions.ts';

/** Who did something, in a sentence: the name of a key, or the owner of the service. */
export const person = (name: string): Html => (name === OWNER ? html`the owner` : named(name));
