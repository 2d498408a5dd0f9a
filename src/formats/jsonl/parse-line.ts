/** `NaN` and infinities where a value is, as Python and other programs write them. */
const NOT_FINITE = /(?<=[:[,]\s*)(?:NaN|-?Infinity)(?=\s*[,}\]])/g;

/**
 * Parses a line as `ObjectReader` reads it: NaN and infinities, which JSON does not have, are null.
 *
 * @throws SyntaxError
 */
export function parseLine(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (!/NaN|Infinity/.test(text)) throw error;
    return JSON.parse(text.replace(NOT_FINITE, 'null'));
  }
}
