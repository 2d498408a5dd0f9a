/** The values that were used last, by key. One is made again if its version has changed, or if making it has failed. */
export class Recent<T> {
  readonly #most: number;
  /** The most recently used last. */
  readonly #known = new Map<string, { version: string; value: Promise<T> }>();

  /** @param most how many are kept */
  constructor(most: number) {
    this.#most = most;
  }

  get(key: string, version: string, make: () => Promise<T>): Promise<T> {
    const known = this.#known.get(key);
    this.#known.delete(key);
    const entry = known?.version === version ? known : { version, value: make() };
    this.#known.set(key, entry);
    const [oldest = key] = this.#known.keys();
    if (this.#known.size > this.#most) this.#known.delete(oldest);
    entry.value.catch(() => this.forget(key, entry.value));
    return entry.value;
  }

  /** Does not keep a value, unless there is a newer one. */
  forget(key: string, value: Promise<T>): void {
    if (this.#known.get(key)?.value === value) this.#known.delete(key);
  }
}
