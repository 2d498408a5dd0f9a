/**
 * Orders by code point, as classes are sorted wherever they are told: the `<` of strings goes by UTF-16 units,
 * and JSON objects do not keep the order of names like "10".
 */
export function codePointOrder(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
