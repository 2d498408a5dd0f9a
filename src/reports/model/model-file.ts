import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { RowcastError } from '../../errors.ts';
import { fromFailure } from '../../failure.ts';
import type { LearnedColumn } from './column-encoder.ts';
import { type EngineModel, loadEngine } from './engine.ts';
import type { ModelJob, ModelOutcome } from './model-worker.ts';
import { localModel } from './own-model.ts';
import { type ReadModel, readModel } from './read-model.ts';

/** A report's model: what predicts, and what its numbers stand for. */
export interface Model {
  engine: EngineModel;
  columns: readonly LearnedColumn[];
  classes: readonly string[];
  /** About what it takes in memory. */
  bytes: number;
}

/** A smaller file is read in less time than a thread takes to begin (40 ms): it holds some 20,000 nodes. */
const THREAD_BYTES = 128 * 1024;
/** One large file is read after the other: while it is read, a model takes some 500 bytes of memory a node. */
let lastRead: Promise<unknown> = Promise.resolve();

/**
 * A model as `saveModel` wrote it, or as an earlier version of it did. A large one is read in a thread of its own, so
 * that nothing else waits for it.
 *
 * @throws RowcastError `engine_failed`, `damaged_model` or, where a thread has not enough, `out_of_memory`
 */
export async function loadModel(file: Buffer): Promise<Model> {
  const read = file.length < THREAD_BYTES ? await readModel(file) : await readInTurn(file);
  const { columns, classes, compiled, bytes } = read;
  const engine = compiled === undefined ? await (await loadEngine()).load(file) : localModel(compiled);
  if (classes.length === engine.classCount) return { engine, columns, classes, bytes };
  engine.unload();
  throw new RowcastError('damaged_model', 'the classes of the model are not those of its description');
}

function readInTurn(file: Buffer): Promise<ReadModel> {
  const read = lastRead.then(() => readInThread(file));
  lastRead = read.catch(() => {}); // Whoever asked for it is told.
  return read;
}

async function readInThread(file: Buffer): Promise<ReadModel> {
  const worker = new Worker(new URL('./model-worker.js', import.meta.url), {
    workerData: file satisfies ModelJob,
    // The process's own options may forbid to start a file, as --input-type does.
    execArgv: [],
  });
  try {
    const ended = once(worker, 'exit').then(([code]) => {
      throw new Error(`the thread that reads a model ended with code ${code} before it answered`);
    });
    // Both reject when the thread dies of an error; it posts nothing but a ModelOutcome.
    const [outcome] = (await Promise.race([once(worker, 'message'), ended])) as [ModelOutcome];
    if ('failure' in outcome) throw fromFailure(outcome.failure);
    return outcome.read;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY'))
      throw error;
    throw new RowcastError('out_of_memory', 'the model needs more memory to be read than Node may take', {
      hint: 'Let it take more, in MB: NODE_OPTIONS=--max-old-space-size=8192.',
      cause: error,
    });
  } finally {
    await worker.terminate();
  }
}
