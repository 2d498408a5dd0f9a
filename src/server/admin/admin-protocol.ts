import type { ProblemCode } from '../../base/reference/problem-codes.ts';
import type { ThreadError } from '../../base/thread-error.ts';

/** What `startAdmin` passes to the admin thread. */
export interface AdminJob {
  host: string;
  port: number;
  /** The main thread's. */
  heartbeat: SharedArrayBuffer;
  /** The content type of the metrics; undefined if they are off. */
  contentType: string | undefined;
}

/** The first message of the admin thread; all later ones are questions. */
export type AdminMessage = { url: string } | { failure: ThreadError };
export type AdminQuestion = AdminReply['about'];

/** The main thread's reply to a question. */
export type AdminReply =
  | { about: 'readiness'; problem: { code: ProblemCode; message: string } | undefined }
  | { about: 'metrics'; text: string };
