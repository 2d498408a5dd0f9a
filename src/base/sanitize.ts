/** Maximum number of characters of untrusted text to show. */
const MAX_CHARACTERS = 200;
/** Control characters, line separators, and characters that change the text direction (Unicode UAX #9). */
const UNPRINTABLE = /[\p{Cc}\u2028-\u202e\u2066-\u2069]+/gu;

/** Sanitizes text from a file or service for a message: no control characters, at most 200 characters. */
export function sanitize(text: string): string {
  const clean = text
    .slice(0, 4 * MAX_CHARACTERS)
    .replace(UNPRINTABLE, ' ')
    .trim();
  return clean.length > MAX_CHARACTERS ? `${clean.slice(0, MAX_CHARACTERS - 1)}…` : clean;
}

/** Whether a text has nothing that `sanitize` replaces or trims. */
export const isSanitized = (text: string): boolean => text.search(UNPRINTABLE) === -1 && text === text.trim();

/** Unprintable characters except line feeds, which our own messages contain. */
const UNPRINTABLE_IN_LINES = new RegExp(`(?!\\n)${UNPRINTABLE.source.slice(0, -1)}`, 'gu');

/** Removes what a terminal would interpret from text that may quote files or services; keeps line feeds. */
export function sanitizeLines(text: string): string {
  return text.replace(UNPRINTABLE_IN_LINES, ' ');
}

/** Unprintable characters except those that end lines and separate cells. */
const UNPRINTABLE_IN_CELLS = new RegExp(`(?!\\n|\\t|\\r\\n)${UNPRINTABLE.source.slice(0, -1)}`, 'gu');

/** Removes from the rows of a file what a terminal would interpret. */
export const sanitizeCells = (text: string): string => text.replace(UNPRINTABLE_IN_CELLS, ' ');

/** Maximum number of names in a message. */
const MAX_NAMES = 20;

/** Formats names from a file as a sanitized, truncated list for a message. */
export function formatList(names: readonly string[]): string {
  const shown = names.slice(0, MAX_NAMES).map(sanitize).join(', ');
  return names.length > MAX_NAMES ? `${shown} and ${names.length - MAX_NAMES} more` : shown;
}
