import { RowcastError } from '../../base/errors.ts';
import { isOutOfMemory, resultOf, startThread } from '../../base/thread-result.ts';
import { type EngineModel, engineOf } from './engine.ts';
import { type ReadModel, readModel } from './read-model.ts';

/** A report's model that is ready to predict in this thread. */
export type Model = ReadModel & { engine: EngineModel };

/** A smaller file (up to about 20,000 nodes) is read faster than a thread starts (40 ms). */
const THREAD_BYTES = 128 * 1024;
/** Large files are read one at a time, because reading takes about 500 bytes of memory per node. */
let lastRead: Promise<unknown> = Promise.resolve();

/**
 * Loads a model that `saveModel` wrote. A large one is read in a separate thread, so that nothing else waits for it.
 *
 * @throws RowcastError `damaged_model`, or `out_of_memory` in the thread
 */
export async function loadModel(file: Buffer): Promise<Model> {
  const model = await readStoredModel(file);
  return { engine: engineOf(model.predictor), ...model };
}

/**
 * Reads such a file for other threads, which prepare the model themselves.
 *
 * @throws RowcastError `damaged_model`, or `out_of_memory` in the thread
 */
export const readStoredModel = (file: Buffer): Promise<ReadModel> =>
  file.length < THREAD_BYTES ? readModel(file) : readInTurn(file);

function readInTurn(file: Buffer): Promise<ReadModel> {
  const read = lastRead.then(() => readInThread(file));
  lastRead = read.catch(() => {}); // The caller handles the error.
  return read;
}

async function readInThread(file: Buffer): Promise<ReadModel> {
  const worker = startThread(new URL('./model-worker.js', import.meta.url), file);
  return resultOf<ReadModel>(worker, 'model-reading').catch(cause => {
    if (!isOutOfMemory(cause)) throw cause;
    throw new RowcastError('out_of_memory', 'reading the model needs more memory than Node.js may use', {
      hint: 'Raise the limit, in MB: NODE_OPTIONS=--max-old-space-size=8192.',
      cause,
    });
  });
}
