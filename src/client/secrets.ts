/** A shorter value of a header is no secret, and occurs in many texts by chance. */
const MIN_VALUE_LENGTH = 4;

/** As many characters of a secret in a row are not shown either. */
const PART_LENGTH = 8;

/** What is sent to a service or a proxy, and shown nowhere. Text from a service that contains one of them is not shown. */
export class Secrets {
  readonly #short = new Set<string>();
  /** Every part of the long ones, so that looking for them takes as long as the text is. */
  readonly #parts = new Set<string>();

  /** A key stays secret after it was replaced. */
  addKey(key: string): void {
    for (const form of formsOf(key)) {
      const text = form.toLowerCase();
      if (text.length <= PART_LENGTH) this.#short.add(text);
      else for (const part of partsOf(text)) this.#parts.add(part);
    }
  }

  /** The value of another header, or a password. */
  addValue(value: string): void {
    if (value.length >= MIN_VALUE_LENGTH) this.addKey(value);
  }

  /** Whether one of them, a part of one, or an encoded one is in a text. */
  areIn(text: string): boolean {
    const lower = text.toLowerCase();
    for (const secret of this.#short) if (lower.includes(secret)) return true;
    if (this.#parts.size > 0) for (const part of partsOf(lower)) if (this.#parts.has(part)) return true;
    return false;
  }
}

function* partsOf(text: string): Generator<string> {
  for (let at = 0; at + PART_LENGTH <= text.length; at++) yield text.slice(at, at + PART_LENGTH);
}

/** How a key may be written in the text of a response: as it is, in JSON, in a URL, in hex, in base64. */
function formsOf(key: string): string[] {
  const bytes = Buffer.from(key);
  // In base64 of a longer text, such as `user:key`, it begins at any of three places; its ends depend on what is next to it.
  const encoded = ['', 'x', 'xx'].map(before =>
    Buffer.from(before + key)
      .toString('base64')
      .slice(4, -4),
  );
  return [
    key,
    JSON.stringify(key).slice(1, -1),
    encodeURIComponent(key),
    bytes.toString('hex'),
    ...encoded,
    ...encoded.map(text => text.replaceAll('+', '-').replaceAll('/', '_')),
  ].filter(form => form.length >= Math.min(key.length, PART_LENGTH));
}
