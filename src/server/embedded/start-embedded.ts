import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { fromThreadError } from '../../thread-error.ts';
import type { EmbeddedJob, EmbeddedMessage } from './embedded-worker.ts';
import { watchThread } from './watch-worker.ts';

export interface Embedded {
  url: string;
  key: string;
  /** Aborts, with a RowcastError `service_died` as its reason, if the service ends unexpectedly. */
  failure: AbortSignal;
  /**
   * Finishes in-flight requests, then ends the thread.
   *
   * @throws the reason of `failure`
   */
  close(): Promise<void>;
}

/**
 * Starts the prediction service in a thread of this process, on a free loopback port, with a random key. It ends with
 * the process and does not keep it alive. Its output goes to stderr, since stdout belongs to the caller.
 *
 * @throws RowcastError `service_died`, and those of `startService`
 */
export async function startEmbedded(options: { home: string }): Promise<Embedded> {
  const key = randomBytes(32).toString('base64url');
  const job: EmbeddedJob = { home: options.home, key };
  // The compiled file's name: unlike imports, URLs are not rewritten.
  const worker = new Worker(new URL('./embedded-worker.js', import.meta.url), {
    workerData: job,
    // Captured but never read: the thread prints to stderr, and reading here would keep the process alive.
    stdout: true,
    // Options of the process, such as --input-type, may forbid starting a file.
    execArgv: [],
  });
  const { failure, exited, expectEnd } = watchThread(worker);
  let url: string;
  try {
    url = await Promise.race([urlOf(worker), rejection(failure)]);
  } catch (error) {
    expectEnd();
    await worker.terminate();
    throw error;
  }
  worker.unref();
  return {
    url,
    key,
    failure,
    async close() {
      expectEnd();
      worker.ref();
      worker.postMessage('close');
      await exited;
      failure.throwIfAborted();
    },
  };
}

async function urlOf(worker: Worker): Promise<string> {
  // The thread posts only an EmbeddedMessage.
  const [message] = (await once(worker, 'message')) as [EmbeddedMessage];
  if ('failure' in message) throw fromThreadError(message.failure);
  return message.url;
}

function rejection(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
