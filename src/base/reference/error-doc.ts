/** What the reference page says about a code. */
export interface ErrorDoc {
  /** What happened, as a sentence. */
  readonly cause: string;
  /** What to do about it, as a sentence, where the cause does not say it already. */
  readonly fix?: string;
}

export type ErrorDocs = Readonly<Record<string, ErrorDoc>>;

/** The code of an error that ends a command. */
export interface CommandErrorDoc extends ErrorDoc {
  /** The exit codes that it can have; 75 means that a retry may succeed. */
  readonly exit: readonly (2 | 3 | 4 | 70 | 75 | 129 | 130 | 143)[];
}

export type CommandErrorDocs = Readonly<Record<string, CommandErrorDoc>>;
