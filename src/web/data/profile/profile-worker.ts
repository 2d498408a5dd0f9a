import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { postMessage, postResult } from '../../../base/thread-result.ts';
import { storedUpload } from '../../recognize-upload.ts';
import { arrivingBytes, arrivingSource, type ProfileJob, profileSource } from './profile-source.ts';

/** What `startProfile` passes to this thread, whose messages tell how many bytes are checked. */
export interface WorkerJob extends ProfileJob {
  /** The file that was written, if it is Parquet; the bytes of others arrive as messages. */
  path: string;
}

// Only `startProfile` starts this file, with a WorkerJob and in a thread, which has a port.
const job = workerData as WorkerJob;
const port = parentPort as MessagePort;
await postResult(async () => {
  const source =
    job.format === 'parquet'
      ? await storedUpload(job.path, job.name)
      : arrivingSource(arrivingBytes(port, postMessage<number>), job.name);
  return profileSource(source, job);
});
port.close();
