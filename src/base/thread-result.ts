import { parentPort, Worker, type WorkerOptions } from 'node:worker_threads';
import { fromThreadError, type ThreadError, toThreadError } from './errors.ts';

/** What a thread posts: any number of messages, then its result, or the error that it failed with. */
type Posted<Result, Message> = { message: Message } | { result: Result } | { failure: ThreadError };

/**
 * Starts a thread that makes one result: its file calls `postResult`. It gets no options of the process, because some,
 * such as --input-type, forbid starting a file.
 *
 * @param file the compiled file: unlike imports, URLs are not rewritten
 */
export const startThread = (file: URL, workerData: unknown, options: WorkerOptions = {}): Worker =>
  new Worker(file, { ...options, workerData, execArgv: [] });

/**
 * Waits for the result of a thread, then ends it.
 *
 * @param name of the thread, for messages
 * @param signal stops waiting
 * @throws RowcastError what making the result failed with; what `onMessage` throws; the signal's reason; Error if the
 *   thread has died
 */
export async function resultOf<Result, Message = never>(
  worker: Worker,
  name: string,
  { signal, onMessage }: { signal?: AbortSignal | undefined; onMessage?: (message: Message) => void } = {},
): Promise<Result> {
  const stop = new AbortController();
  try {
    return await new Promise<Result>((resolve, reject) => {
      // Only `postMessage` and `postResult` post here.
      worker.on('message', (posted: Posted<Result, Message>) => {
        if ('result' in posted) return resolve(posted.result);
        if ('failure' in posted) return reject(fromThreadError(posted.failure));
        try {
          if (!stop.signal.aborted) onMessage?.(posted.message);
        } catch (error) {
          reject(error);
        }
      });
      worker.once('error', reject);
      worker.once('exit', code =>
        reject(new Error(`the ${name} thread exited with code ${code} before it returned a result`)),
      );
      signal?.addEventListener('abort', () => reject(signal.reason), stop);
      if (signal?.aborted) reject(signal.reason);
    });
  } finally {
    stop.abort();
    await worker.terminate();
  }
}

/** Posts a message to whoever waits for the result of this thread. */
export const postMessage = <Message>(message: Message): void => parentPort?.postMessage({ message });

/** Makes the result of this thread and posts it. @param memoryOf what is passed on instead of being copied */
export async function postResult<Result>(
  make: () => Promise<Result>,
  memoryOf: (result: Result) => ArrayBuffer[] = () => [],
): Promise<void> {
  try {
    const result = await make();
    parentPort?.postMessage({ result }, memoryOf(result));
  } catch (error) {
    parentPort?.postMessage({ failure: toThreadError(error) });
  }
}

/** Whether a thread has died because it needed more memory than it may use. */
export const isOutOfMemory = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
