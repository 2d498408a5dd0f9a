import { once } from 'node:events';
import { parentPort, workerData } from 'node:worker_threads';
import { type Failure, toFailure } from './failure.ts';
import { startService } from './server.ts';

/** What `startEmbedded` hands to this thread. */
export interface EmbeddedJob {
  home: string;
  key: string;
}

/** What the thread posts, once; any message to it closes the service. */
export type EmbeddedMessage = { url: string } | { failure: Failure };

if (parentPort === null) throw new Error('this file runs in a worker thread only');
// `startEmbedded` is the only one who starts this file, with an EmbeddedJob.
const { home, key } = workerData as EmbeddedJob;
try {
  const service = await startService({ home, key, host: '127.0.0.1', port: 0 });
  const told = once(parentPort, 'message');
  parentPort.postMessage({ url: service.url } satisfies EmbeddedMessage);
  await told;
  await service.close();
  parentPort.close();
} catch (error) {
  parentPort.postMessage({ failure: toFailure(error) } satisfies EmbeddedMessage);
}
