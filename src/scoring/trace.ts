/** A request as a trace describes it. */
export interface TracedRequest {
  method: string;
  /** Without user info and query. */
  url: string;
  /** The path below the service's URL, without the parts that vary. */
  template: string;
  /** An object that all attempts of a request share, and no other request has. */
  identity: object;
}

/**
 * Sends a request, once, as a part of a trace.
 *
 * @param send sends it with these headers
 */
export type TraceRequest = <T>(
  request: TracedRequest,
  send: (headers: Readonly<Record<string, string>>) => Promise<T>,
) => Promise<T>;

/**
 * Scores a batch as a part of a trace.
 *
 * @param batch the number of its first row, and how many it has
 */
export type TraceBatch = <T>(
  batch: { readonly row: number; readonly rows: number },
  score: () => Promise<T>,
) => Promise<T>;
