import type { CallError } from '../failures/call-error.ts';

/** After this many rows with the same failure, the next ones are expected to fail in the same way. */
const MIN_ALIKE = 3;

/** Single rows that fail before any row is scored. If the first few fail in the same way, all others would too. */
export class FirstRejects {
  readonly #failures: CallError[] = [];

  /** @throws CallError the failure of the first row, if all of the first few failures are the same */
  add(failure: CallError): void {
    this.#failures.push(failure);
    const ways = new Set(this.#failures.map(({ status, code }) => `${status} ${code}`));
    if (ways.size > 1 || this.#failures.length < MIN_ALIKE) return;
    // Concurrent single-row requests may fail out of order.
    const rowOf = ({ location: place }: CallError): number => place.row ?? Number.POSITIVE_INFINITY;
    throw this.#failures.reduce((first, other) => (rowOf(other) < rowOf(first) ? other : first));
  }
}
