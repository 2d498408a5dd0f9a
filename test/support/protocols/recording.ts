import type { Exchange } from '../../servers/support/forwarding-proxy.ts';

/** What a real server responded to a few runs, and what became of them. */
export interface Recording {
  /** The keys `service` and `score` of the definition. */
  service: Readonly<Record<string, unknown>>;
  score: Readonly<Record<string, unknown>>;
  runs: Record<string, RecordedRun>;
}

export interface RecordedRun {
  input: string;
  /** More keys of `score`. */
  score: object;
  exchanges: Exchange[];
  code: number | null;
  output: string | undefined;
  /** The last error that the command printed. */
  error: string | undefined;
}
