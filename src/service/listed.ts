import { shown } from '../shown.ts';

/** Names that are told at most; more would hide the message that they belong to. */
const MOST = 20;

/** Names from a file as a list in a message: made fit to be shown, and cut. */
export function listed(names: readonly string[]): string {
  const told = names.slice(0, MOST).map(shown).join(', ');
  return names.length > MOST ? `${told} and ${names.length - MOST} more` : told;
}
