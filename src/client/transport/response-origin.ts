/**
 * The connection that a response came on, for as long as nothing else says that the response answers its own request:
 * HTTP/1.1 assigns responses to requests by their order alone (RFC 9112 section 9.3). A service that sends one response
 * too many on a connection shifts all those after it, and that may be noticed only later.
 */
export class Origin {
  #isSuspect = false;
  #firstRow: number | undefined;

  /** Whether more came on the connection than was asked for: its responses may belong to other requests. */
  get isSuspect(): boolean {
    return this.#isSuspect;
  }

  /** The first row that was written from one of its responses, as far as these are not proven to be in order. */
  get firstRow(): number | undefined {
    return this.#firstRow;
  }

  suspect(): void {
    this.#isSuspect = true;
  }

  /** Rows from this one on are written from one of its responses, so that it cannot be retried any more. */
  written(row: number): void {
    this.#firstRow = Math.min(row, this.#firstRow ?? row);
  }

  /** All of its responses so far belong to their requests. */
  proven(): void {
    this.#firstRow = undefined;
  }
}
