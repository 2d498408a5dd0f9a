import { parentPort } from 'node:worker_threads';
import { toThreadError } from '../../../base/thread-error.ts';
import type { Answer, Sent } from './worker-thread.ts';

export interface Answered<Result> {
  result: Result;
  /** Passed on instead of being copied. */
  memory?: ArrayBuffer[];
}

/**
 * Answers the requests of a `WorkerThread`, whose file this runs in.
 *
 * @param answer gives nothing for requests that need no answer
 */
export function answerRequests<Request, Result>(
  answer: (request: Request) => Promise<Answered<Result>> | undefined,
): void {
  if (parentPort === null) throw new Error('this file runs in a worker thread only');
  const port = parentPort;
  const send = (message: Answer<Result>, memory: ArrayBuffer[] = []): void =>
    port.postMessage(message, memory);
  // Only a `WorkerThread` with these types starts the file.
  port.on('message', async ({ id, request }: Sent<Request>) => {
    const answered = answer(request);
    if (id === undefined || answered === undefined) return;
    try {
      const { result, memory } = await answered;
      send({ kind: 'done', id, result }, memory);
    } catch (error) {
      send({ kind: 'failed', id, failure: toThreadError(error) });
    }
  });
  send({ kind: 'ready' });
}
