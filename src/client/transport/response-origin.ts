/**
 * The connection that a response arrived on, kept while nothing proves that the response belongs to its request.
 * HTTP/1.1 matches responses to requests by order alone (RFC 9112 section 9.3). A surplus response on a connection shifts
 * all later ones, and this may be detected only afterwards.
 */
export class Origin {
  #isSuspect = false;
  #firstRow: number | undefined;

  /** Whether the connection delivered more than was requested: its responses may belong to other requests. */
  get isSuspect(): boolean {
    return this.#isSuspect;
  }

  /** The first row written from one of its responses that is not yet proven to be in order. */
  get firstRow(): number | undefined {
    return this.#firstRow;
  }

  suspect(): void {
    this.#isSuspect = true;
  }

  /** Rows from this one on were written from one of its responses, so that request can no longer be retried. */
  written(row: number): void {
    this.#firstRow = Math.min(row, this.#firstRow ?? row);
  }

  /** All of its responses so far are known to belong to their requests. */
  proven(): void {
    this.#firstRow = undefined;
  }
}
