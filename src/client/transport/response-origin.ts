/**
 * The connection that a response arrived on, kept while nothing proves that the response belongs to its request.
 * HTTP/1.1 matches responses to requests by order alone (RFC 9112 section 9.3). A surplus response on a connection shifts
 * all later ones, and this may be detected only afterwards.
 */
export class Origin {
  readonly id: number;
  #isSuspect = false;
  #firstRow: number | undefined;

  /** @param id unique within a run */
  constructor(id: number) {
    this.id = id;
  }

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

/** The origins of a run by their ids, for stages that know a response as plain data only. */
export class Origins {
  #count = 0;
  readonly #open = new Map<number, Origin>();
  readonly #suspect = new Set<number>();

  /** A new socket. */
  opened(): Origin {
    const origin = new Origin(++this.#count);
    this.#open.set(origin.id, origin);
    return origin;
  }

  /** The socket of an origin was closed. It can no longer become suspect, so it is forgotten unless it already is. */
  closed({ id }: Origin): void {
    this.#open.delete(id);
  }

  suspect(origin: Origin): void {
    origin.suspect();
    this.#suspect.add(origin.id);
  }

  isSuspect(id: number): boolean {
    return this.#suspect.has(id);
  }

  /** See `Origin.written`. */
  written(id: number, row: number): void {
    this.#open.get(id)?.written(row);
  }
}
