/** After this time without data, the rows read so far are sent as an incomplete batch. */
const IDLE_MS = 200;

/** Passes chunks on, and an empty one whenever none has arrived for a while. */
export async function* withIdle(chunks: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  let next = chunks.next();
  for (let idle = false; ; ) {
    const result: IteratorResult<Buffer, void> | undefined = idle ? await next : await within(next, IDLE_MS);
    idle = result === undefined;
    if (result === undefined) yield Buffer.alloc(0);
    else if (result.done) return;
    else {
      yield result.value;
      next = chunks.next();
    }
  }
}

/** The result of a promise, or undefined on timeout. */
async function within<T>(promise: Promise<T>, ms: number): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>(resolve => {
    timer = setTimeout(resolve, ms, undefined);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
