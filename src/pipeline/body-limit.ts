/** Most bytes of a call's body, as the service teaches it. */
export interface BodyLimit {
  bytes(): number;
  /** A body of so many bytes was too large. */
  tooLarge(bytes: number): void;
  /** One of so many was not. */
  taken(bytes: number): void;
}

/**
 * Half of what was too large, and no less than what was taken: one row that is too large however it is sent makes
 * the others' batches no smaller.
 *
 * @param most bytes that were allowed to begin with
 */
export function bodyLimit(most: number): BodyLimit {
  let limit = most;
  let largest = 0;
  return {
    bytes: () => limit,
    tooLarge(bytes) {
      if (bytes > largest) limit = Math.min(limit, Math.max(largest, Math.ceil(bytes / 2)));
    },
    taken(bytes) {
      largest = Math.max(largest, bytes);
      limit = Math.max(limit, Math.min(most, largest));
    },
  };
}
