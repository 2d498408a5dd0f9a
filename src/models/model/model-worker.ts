import { parentPort, workerData } from 'node:worker_threads';
import { type ThreadError, toThreadError } from '../../base/errors.ts';
import { buffersOf } from './compiled-model.ts';
import { type ReadModel, readModel } from './read-model.ts';

/** What `loadModel` passes to this thread: the bytes of a model file. */
export type ModelJob = Uint8Array;

/** The only message of the thread. */
export type ModelOutcome = { read: ReadModel } | { failure: ThreadError };

// Only `loadModel` starts this file, with a ModelJob.
const job = workerData as ModelJob;
const post = (outcome: ModelOutcome, buffers: ArrayBuffer[]): void =>
  parentPort?.postMessage(outcome, buffers);
try {
  const read = await readModel(job);
  post({ read }, buffersOf(read.predictor));
} catch (error) {
  post({ failure: toThreadError(error) }, []);
}
