import { OWN_KEY } from '../../server/auth/principal.ts';
import { type Html, html, named } from '../html.ts';
import { OWNER } from '../session/sessions.ts';

/** Who did something, in a sentence: the name of a key, the owner of the service, or whoever has the key of its environment. */
export const person = (name: string): Html =>
  name === OWNER ? html`the owner` : name === OWN_KEY ? html`this computer` : named(name);
