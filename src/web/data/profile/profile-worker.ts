import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { type ThreadError, toThreadError } from '../../../base/thread-error.ts';
import { storedUpload } from '../../recognize-upload.ts';
import { arrivingSource, growingFile } from './growing-file.ts';
import type { Profile } from './profile-shape.ts';
import { type ProfileJob, profileSource } from './profile-source.ts';

/** What `startProfile` passes to this thread. */
export interface WorkerJob extends ProfileJob {
  /** The file that is being written, or was written if it is Parquet. */
  path: string;
}

/** The last message of the thread; those before it tell how much is checked. */
export type ProfileOutcome = { profile: Profile } | { failure: ThreadError };

// Only `startProfile` starts this file, with a WorkerJob and in a thread, which has a port.
const job = workerData as WorkerJob;
const port = parentPort as MessagePort;
let outcome: ProfileOutcome;
try {
  const source =
    job.format === 'parquet'
      ? await storedUpload(job.path, job.name)
      : arrivingSource(growingFile(job.path, port), job.name);
  outcome = { profile: await profileSource(source, job) };
} catch (error) {
  outcome = { failure: toThreadError(error) };
}
port.postMessage(outcome);
port.close();
