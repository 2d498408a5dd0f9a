/** Compares by code point, as classes are sorted everywhere; the < of strings goes by UTF-16 units. */
export function codePointOrder(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
