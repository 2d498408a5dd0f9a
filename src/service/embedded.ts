import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { RowcastError } from '../errors.ts';
import type { EmbeddedJob, EmbeddedMessage } from './embedded-worker.ts';
import { fromFailure } from './failure.ts';

export interface Embedded {
  url: string;
  key: string;
  /** Aborts, with a RowcastError `service_died` as its reason, when the service ends by itself. */
  failure: AbortSignal;
  /** Answers what it has begun, then ends the thread. Throws what `failure` has. */
  close(): Promise<void>;
}

/**
 * The prediction service in a thread of this process, on a free loopback port, with a key that nobody else
 * knows. It dies with the process and does not keep it alive. What it prints goes to stderr, since stdout is
 * the caller's. Throws the RowcastErrors of `startService`, or `service_died`.
 */
export async function startEmbedded(options: { home: string }): Promise<Embedded> {
  const key = randomBytes(32).toString('base64url');
  const job: EmbeddedJob = { home: options.home, key };
  // The compiled file's name: a URL is not rewritten as an import is.
  const worker = new Worker(new URL('./embedded-worker.js', import.meta.url), {
    workerData: job,
    stdout: true,
  });
  worker.stdout.pipe(process.stderr, { end: false });
  const failure = new AbortController();
  let closing = false;
  worker.on('error', cause => failure.abort(died(cause)));
  const exited = once(worker, 'exit').then(
    ([code]) => {
      if (!closing && !failure.signal.aborted) failure.abort(died(new Error(`it ended with code ${code}`)));
    },
    () => {}, // The error event, which the listener above has told.
  );
  const url = await Promise.race([firstMessage(worker), rejection(failure.signal)]);
  worker.unref();
  return {
    url,
    key,
    failure: failure.signal,
    async close() {
      closing = true;
      worker.ref();
      worker.postMessage('close');
      await exited;
      failure.signal.throwIfAborted();
    },
  };
}

async function firstMessage(worker: Worker): Promise<string> {
  // The thread posts nothing but EmbeddedMessages.
  const [message] = (await once(worker, 'message')) as [EmbeddedMessage];
  if ('failure' in message) {
    await worker.terminate();
    throw fromFailure(message.failure);
  }
  return message.url;
}

function rejection(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

function died(cause: unknown): RowcastError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new RowcastError('service_died', `The embedded prediction service died: ${reason}.`, {
    consequence: 'stopped',
    cause,
  });
}
