import { once } from 'node:events';
import { parentPort, workerData } from 'node:worker_threads';
import { type ThreadError, toThreadError } from '../../thread-error.ts';
import { defaultLimits } from '../http/limits.ts';
import { startService } from '../server.ts';
import type { Service } from '../service.ts';

/** What `startEmbedded` passes to this thread. */
export interface EmbeddedJob {
  home: string;
  key: string;
}

/** The only message of the thread; any message to it closes the service. */
export type EmbeddedMessage = { url: string } | { failure: ThreadError };

// stdout belongs to the command and carries only CSV; no library in this thread may write to it.
process.stdout.write = process.stderr.write.bind(process.stderr);
if (parentPort === null) throw new Error('this file runs in a worker thread only');
const port = parentPort;
// Only `startEmbedded` starts this file, with an EmbeddedJob.
const { home, key } = workerData as EmbeddedJob;
// A key may use at most half of each shared resource, and there is only one key here.
const limits = {
  connections: 2 * defaultLimits.connections,
  bodiesBytes: 2 * defaultLimits.bodiesBytes,
  maxSpillBytes: 2 * defaultLimits.maxSpillBytes,
};
const closeRequested = once(port, 'message');
let service: Service | undefined;
try {
  service = await startService({ home, key, host: '127.0.0.1', port: 0, limits });
  port.postMessage({ url: service.url } satisfies EmbeddedMessage);
} catch (error) {
  port.postMessage({ failure: toThreadError(error) } satisfies EmbeddedMessage);
}
await closeRequested;
// Errors here are not caught, so that the parent receives them as the thread's error.
await service?.close();
port.close();
