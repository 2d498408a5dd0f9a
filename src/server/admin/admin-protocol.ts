import type { Failure } from '../../failure.ts';
import type { ProblemCode } from '../problems/problems.ts';

/** What `startAdmin` hands to the admin thread. */
export interface AdminJob {
  host: string;
  port: number;
  /** That of the main thread. */
  heartbeat: SharedArrayBuffer;
  /** Of the metrics, where there are any. */
  contentType: string | undefined;
}

/** What the admin thread posts first; after that, questions. */
export type AdminMessage = { url: string } | { failure: Failure };
export type AdminQuestion = AdminReply['about'];

/** What the main thread tells of itself when it is asked. */
export type AdminReply =
  | { about: 'readiness'; problem: { code: ProblemCode; message: string } | undefined }
  | { about: 'metrics'; text: string };
