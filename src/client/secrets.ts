/** A shorter value of a header is no secret, and occurs in many texts by chance. */
const MIN_VALUE_LENGTH = 4;

/** What is sent to a service or a proxy, and shown nowhere. Text from a service that contains one of them is not shown. */
export class Secrets {
  readonly #all = new Set<string>();

  /** A key stays secret after it was replaced. */
  addKey(key: string): void {
    this.#all.add(key);
    // As it is in the text of a response in JSON.
    this.#all.add(JSON.stringify(key).slice(1, -1));
  }

  /** The value of another header, or a password. */
  addValue(value: string): void {
    if (value.length >= MIN_VALUE_LENGTH) this.addKey(value);
  }

  /** Whether one of them is in a text. */
  areIn(text: string): boolean {
    for (const secret of this.#all) if (text.includes(secret)) return true;
    return false;
  }
}
