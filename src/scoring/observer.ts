import { setMaxListeners } from 'node:events';
import type { LongField } from '../formats/csv/long-field.ts';
import type { Reject } from '../formats/csv/reject-records.ts';
import type { Accounts } from '../runs/accounts.ts';
import type { ResumePoint } from '../runs/output/output.ts';

/** How far a run is. */
export interface RunProgress {
  /** Over all processes of a resumed run. */
  accounts: Accounts;
  /** How much of the work is done, 0 to 1, where that is known: of `--limit` rows, or of a plain file's bytes. */
  fraction: number | undefined;
  /** What was done before this process began. */
  before: { scored: number; fraction: number | undefined };
  /** What the last checkpoint keeps by now, if there is one. */
  resumePoint: () => ResumePoint | undefined;
}

/** Who looks on while a run goes; all of it may be left out. */
export interface RunObserver {
  /** Called after each part that was written. */
  onProgress?: (progress: RunProgress) => void;
  /** Told of each row that could not be scored. */
  onReject?: (reject: Reject) => void;
  /** Called once, for the first quoted field that is suspiciously long: it may have swallowed rows. */
  onLongField?: (field: LongField) => void;
  /** Told when an unfinished run is resumed. */
  onResume?: (kept: ResumePoint) => void;
  /** Told when a run has stopped before its end and can be gone on with, with what is kept of it. */
  onSuspend?: (kept: ResumePoint) => void;
  /** Aborted, with a reason, to stop the run: what is in flight is finished, for ten seconds at most, and the checkpoint kept. */
  stop?: AbortSignal;
}

/** The run was told to stop, and did; the cause is the signal's reason. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';

  constructor(stop: AbortSignal | undefined) {
    super('the run was told to stop', { cause: stop?.reason });
  }
}

/**
 * What a promise comes to, unless the signal is aborted before.
 *
 * @throws Interrupted
 */
export async function unlessStopped<T>(promise: Promise<T>, stop: AbortSignal | undefined): Promise<T> {
  let onAbort = (): void => {};
  const stopped = new Promise<never>((_, reject) => {
    onAbort = () => reject(new Interrupted(stop));
  });
  if (stop?.aborted) onAbort();
  else stop?.addEventListener('abort', onAbort);
  try {
    return await Promise.race([promise, stopped]);
  } finally {
    stop?.removeEventListener('abort', onAbort);
  }
}

/** What is in flight when a run is told to stop has this long to come to an end. */
const DRAIN_MS = 10_000;

export interface Stopping {
  /** Aborted when no further batch is wanted. */
  reading: AbortSignal;
  /** Aborted when nobody waits for the answers any more. */
  calling: AbortSignal;
  /** The run is over. */
  end(): void;
}

/**
 * How a run stops: no further batch is read, then, when its time is up or it has failed, no call goes on.
 *
 * @param onStop what ends a read that waits
 */
export function stopping(stop: AbortSignal | undefined, onStop: () => void): Stopping {
  const reading = new AbortController();
  const calling = new AbortController();
  // Every call under way listens: many are no leak, and Node's warning would go to stderr.
  setMaxListeners(0, calling.signal);
  let timer: NodeJS.Timeout | undefined;
  const begin = (): void => {
    reading.abort();
    onStop();
    timer = setTimeout(() => calling.abort(), DRAIN_MS);
  };
  if (stop?.aborted) begin();
  else stop?.addEventListener('abort', begin);
  return {
    reading: reading.signal,
    calling: calling.signal,
    end() {
      stop?.removeEventListener('abort', begin);
      clearTimeout(timer);
      calling.abort();
    },
  };
}
