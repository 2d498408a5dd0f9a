/** A time after which a call is given up; it can be held while the service is not what is waited for. */
export interface Deadline {
  /** Aborted when the time is over, or the caller does not want the answer any more. */
  readonly signal: AbortSignal;
  /** Stops the time; it may be stopped for more than one reason. */
  pause(): void;
  /** Takes one reason away; with the last one, the time begins anew. */
  resume(): void;
  /** The call is over. */
  release(): void;
}

/** @param wanted aborted when nobody waits for the answer any more */
export function startDeadline(ms: number, wanted: AbortSignal | undefined): Deadline {
  const controller = new AbortController();
  const abort = (): void => controller.abort();
  let timer = setTimeout(abort, ms);
  let holds = 0;
  if (wanted?.aborted) abort();
  else wanted?.addEventListener('abort', abort);
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
      wanted?.removeEventListener('abort', abort);
    },
  };
}

/** What is sent: the time stands still while more of it is waited for. */
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

/** What has come: the time stands still while it is being used. */
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
