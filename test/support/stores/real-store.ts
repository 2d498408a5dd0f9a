/** An object store that a test has started. */
export interface RealStore {
  /** The URL of a bucket or container, without a slash at its end. */
  url: string;
  /** What a command needs to reach it. */
  env: Record<string, string>;
  /** Whether two objects with the same bytes in the same parts have the same ETag. */
  hasEqualTags: boolean;
}
