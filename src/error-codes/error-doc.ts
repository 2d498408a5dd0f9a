/** What the reference page says about an error code. */
export interface ErrorDoc {
  /** What happened, as a sentence. */
  readonly cause: string;
  /** What to do about it, as a sentence. */
  readonly fix: string;
}

export type ErrorDocs = Readonly<Record<string, ErrorDoc>>;
