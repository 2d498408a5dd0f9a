import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { FastifyBaseLogger } from 'fastify';
import { fromThreadError } from '../../base/errors.ts';
import type { RequestError } from '../problems/problems.ts';
import type { ServiceMetrics } from '../telemetry/metrics.ts';
import {
  type AdminJob,
  type AdminMessage,
  type AdminQuestion,
  type AdminReply,
  Heartbeat,
} from './main-thread.ts';

interface AdminOptions {
  host: string;
  /** 0 means any free port. */
  port: number;
  /** Why the service is not ready; undefined if it is. */
  readiness(): Promise<RequestError | undefined>;
  metrics: ServiceMetrics | undefined;
  log: FastifyBaseLogger | undefined;
}

export interface Admin {
  url: string;
  close(): Promise<void>;
}

/** How long to wait before a thread that died is started again. */
const RESTART_MS = 500;

/**
 * Serves /healthz, /readyz and /metrics from a separate thread, which responds even while this one is busy. Plain HTTP
 * without a key: the responses contain no secrets. A thread that dies is started again, on the same port.
 *
 * @throws RowcastError `cannot_listen`
 */
export async function startAdmin(options: AdminOptions): Promise<Admin> {
  const heartbeat = new Heartbeat();
  const stop = heartbeat.start();
  const { worker: first, url } = await startThread(options, heartbeat).catch(error => {
    stop();
    throw error;
  });
  let worker = first;
  let restarting: NodeJS.Timeout | undefined;
  let isClosed = false;
  const restartLater = (): void => {
    if (!isClosed) restarting = setTimeout(restart, RESTART_MS).unref();
  };
  const restart = async (): Promise<void> => {
    try {
      // Ports that are the default of http are not in the URL.
      const { port } = new URL(url);
      const started = await startThread({ ...options, port: port === '' ? 80 : Number(port) }, heartbeat);
      worker = started.worker.once('exit', restartLater);
      if (isClosed) await worker.terminate();
    } catch {
      restartLater();
    }
  };
  worker.once('exit', restartLater);
  return {
    url,
    async close() {
      isClosed = true;
      stop();
      clearTimeout(restarting);
      await worker.terminate();
    },
  };
}

async function startThread(
  { host, port, readiness, metrics, log }: AdminOptions,
  heartbeat: Heartbeat,
): Promise<{ worker: Worker; url: string }> {
  const job: AdminJob = {
    host,
    port,
    heartbeat: heartbeat.shared,
    contentType: metrics?.contentType,
  };
  const worker = new Worker(new URL('./admin-worker.js', import.meta.url), {
    workerData: job,
    // Options of the process, such as --input-type, may forbid starting a file.
    execArgv: [],
  });
  worker.on('error', cause =>
    log?.error({ event: 'thread_died' }, `the admin thread died: ${cause.message}; another one is started`),
  );
  // The thread's first message is always an AdminMessage.
  const [message] = (await once(worker, 'message')) as [AdminMessage];
  if ('failure' in message) {
    await worker.terminate();
    throw fromThreadError(message.failure);
  }
  worker.on('message', async (about: AdminQuestion) => {
    const error = about === 'readiness' ? await readiness() : undefined;
    const text = about === 'metrics' ? await metrics?.text() : undefined;
    const problem = error && { code: error.code, message: error.message };
    worker.postMessage({ about, problem, text } satisfies AdminReply);
  });
  worker.unref();
  return { worker, url: message.url };
}
