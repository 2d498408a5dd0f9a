import { workerData } from 'node:worker_threads';
import { postResult } from '../../base/thread-result.ts';
import { buffersOf } from './compiled-model.ts';
import { readModel } from './read-model.ts';

// Only `loadModel` starts this file, with the bytes of a model file.
const file = workerData as Uint8Array;
await postResult(
  () => readModel(file),
  ({ predictor }) => buffersOf(predictor),
);
