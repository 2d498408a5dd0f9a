/** A timeout that can be paused while we are not waiting for the service. */
export interface Deadline {
  /** Aborted on timeout, or by the caller. */
  readonly signal: AbortSignal;
  /** Pauses the timeout. Pauses are counted. */
  pause(): void;
  /** Ends one pause; after the last one, the timeout restarts from zero. */
  resume(): void;
  /** Must be called when the request ends. */
  release(): void;
}

/** @param caller aborts the request */
export function startDeadline(ms: number, caller: AbortSignal | undefined): Deadline {
  const controller = new AbortController();
  const abort = (): void => controller.abort();
  let timer = setTimeout(abort, ms);
  let holds = 0;
  if (caller?.aborted) abort();
  else caller?.addEventListener('abort', abort);
  return {
    signal: controller.signal,
    pause() {
      holds++;
      clearTimeout(timer);
    },
    resume() {
      holds--;
      clearTimeout(timer);
      if (holds === 0) timer = setTimeout(abort, ms);
    },
    release() {
      holds = Number.POSITIVE_INFINITY;
      clearTimeout(timer);
      caller?.removeEventListener('abort', abort);
    },
  };
}

/** Yields what is sent; the timeout is paused while we wait for more input. */
export async function* pausedWhileReading(
  csv: AsyncIterable<Buffer>,
  deadline: Deadline,
  onSent: () => void,
): AsyncGenerator<Buffer> {
  deadline.pause();
  for await (const chunk of csv) {
    deadline.resume();
    yield chunk;
    deadline.pause();
  }
  deadline.resume();
  onSent();
}

/** Yields what was received; the timeout is paused while it is processed. */
export async function* pausedWhileProcessing(
  body: AsyncIterable<Buffer>,
  deadline: Deadline,
): AsyncGenerator<Buffer> {
  for await (const chunk of body) {
    deadline.pause();
    yield chunk;
    deadline.resume();
  }
}
