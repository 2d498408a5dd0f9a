/** Characters of a foreign text that are shown at most. */
const MAX_CHARACTERS = 200;
/** Control characters, line separators, and what turns the direction of text (Unicode UAX #9). */
const UNPRINTABLE = /[\p{Cc}\u2028-\u202e\u2066-\u2069]+/gu;

/** Text from a file or a service, made fit for a message: no control characters, at most 200 characters. */
export function sanitize(text: string): string {
  const clean = text
    .slice(0, 4 * MAX_CHARACTERS)
    .replace(UNPRINTABLE, ' ')
    .trim();
  return clean.length > MAX_CHARACTERS ? `${clean.slice(0, MAX_CHARACTERS - 1)}…` : clean;
}

/** The same but line feeds, which stand in our own messages. */
const UNPRINTABLE_IN_LINES = new RegExp(`(?!\\n)${UNPRINTABLE.source.slice(0, -1)}`, 'gu');

/** Text that may hold a file's or a service's, without what a terminal would act upon; line feeds stay. */
export function sanitizeLines(text: string): string {
  return text.replace(UNPRINTABLE_IN_LINES, ' ');
}

/** Names that are told at most; more would hide the message that they belong to. */
const MAX_NAMES = 20;

/** Names from a file as a list in a message: made fit to be shown, and cut. */
export function formatList(names: readonly string[]): string {
  const told = names.slice(0, MAX_NAMES).map(sanitize).join(', ');
  return names.length > MAX_NAMES ? `${told} and ${names.length - MAX_NAMES} more` : told;
}
