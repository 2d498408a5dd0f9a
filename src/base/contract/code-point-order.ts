/**
 * Compares by code point, the order in which classes are always listed. The `<` of strings compares UTF-16 units, and
 * JSON objects do not keep the order of names like "10".
 */
export function codePointOrder(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
