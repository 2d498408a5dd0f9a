/** Messages of errors start in lower case and have no full stop, for the command line; on a page they are sentences. */
export const sentence = (text: string): string =>
  `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;
