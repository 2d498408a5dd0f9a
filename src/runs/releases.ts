/** What is to be released at the end, in reverse order. */
export class Releases {
  readonly #releases: (() => Promise<void>)[] = [];

  add(release: () => Promise<void>): void {
    this.#releases.push(release);
  }

  /** Releases everything, even if some of it fails; the first failure is thrown. */
  async release(): Promise<void> {
    const failures: unknown[] = [];
    for (const release of this.#releases.splice(0).reverse())
      await release().catch(error => failures.push(error));
    if (failures.length > 0) throw failures[0];
  }
}
