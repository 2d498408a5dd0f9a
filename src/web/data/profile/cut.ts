const MAX_CHARACTERS = 100;

/** A value, cut so that a profile stays small. */
export const cut = (text: string): string =>
  text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS - 1)}…` : text;
