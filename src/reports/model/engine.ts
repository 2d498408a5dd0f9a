import type { EventEmitter } from 'node:events';
import JSZip from 'jszip';
import loadYdf, { type Ydf, type YdfModel } from 'ydf-training';
import { RowcastError } from '../../errors.ts';

/**
 * A column as numbers, null where a value is missing. A numerical column and one of dates have finite values; a
 * categorical one has the number of its level, from 1.
 */
export type EncodedColumn = (number | null)[];

export interface TreeShape {
  trees: number;
  /** Nodes from a root to a leaf, in the mean over all leaves. */
  depth: number;
}

export interface EngineModel {
  readonly classCount: number;
  /** Row by row, a probability a class, in the order of the report's classes. */
  predict(columns: readonly EncodedColumn[]): Float64Array;
  /** The cost of a row's way through the trees, whatever the machine; a linear model has no trees. */
  shape(): TreeShape;
  /** Frees the memory; the model cannot be used afterwards. */
  unload(): void;
}

/** Predicts with models of Yggdrasil Decision Forests, which reports had before they had models of their own format. */
export interface Engine {
  /** A model as training wrote it then: a zip of the engine's files. */
  load(file: Buffer): Promise<EngineModel>;
}

/**
 * Loads the WebAssembly, in about 30 ms.
 *
 * @throws RowcastError `engine_failed`, from all that it does
 */
export async function loadEngine(): Promise<Engine> {
  const complaints = new EngineStderr();
  const ydf = await loadQuietly(complaints);
  return {
    load: file => complaints.explainLater(async () => wrap(await ydf.loadModelFromZipBlob(file), complaints)),
  };
}

/**
 * The engine looks for a global JSZip, and on loading it adds process-wide handlers that throw again whatever
 * was not caught: those would change how the whole program dies, so they are taken off.
 */
async function loadQuietly(complaints: EngineStderr): Promise<Ydf> {
  Object.assign(globalThis, { JSZip });
  const emitter: EventEmitter = process;
  const before = new Map(fatalEvents.map(event => [event, emitter.listeners(event)]));
  // The handlers are added while loadYdf runs, before it first waits.
  const loading = loadYdf({ print: () => {}, printErr: line => complaints.add(line) });
  for (const [event, known] of before) {
    const added = emitter.listeners(event).filter(listener => !known.includes(listener));
    // The listeners of an EventEmitter are typed as Function, which `off` does not take.
    for (const listener of added) emitter.off(event, listener as () => void);
  }
  return loading;
}

const fatalEvents = ['uncaughtException', 'unhandledRejection'];

/** Training named columns so, because a column's own name can hold anything. */
const columnName = (index: number) => `c${index}`;

function wrap(ydf: YdfModel, complaints: EngineStderr): EngineModel {
  // The engine orders classes by frequency; ours are numbers, in the report's order.
  const order = ydf.getLabelClasses().map(Number);
  return {
    classCount: order.length,
    predict: columns =>
      complaints.explain(() =>
        inOrder(
          ydf.predict(Object.fromEntries(columns.map((values, i) => [columnName(i), values]))),
          order,
          columns[0]?.length ?? 0,
        ),
      ),
    shape: () => complaints.explain(() => shapeOf(ydf.describe())),
    unload: () => ydf.unload(),
  };
}

/** Read from the engine's own words about a model, which are all that it tells of its trees. */
function shapeOf(described: string): TreeShape {
  const trees = /^Number of trees: (\d+)$/m.exec(described)?.[1];
  const depth = /^Depth by leafs:\nCount: \d+ Average: ([\d.]+)/m.exec(described)?.[1];
  if (trees === undefined || depth === undefined) throw new Error('it does not tell the shape of its trees');
  return { trees: Number(trees), depth: Number(depth) };
}

/** For two classes the engine gives one number a row, the probability of its own second class. */
function inOrder(answer: readonly number[], order: readonly number[], rows: number): Float64Array {
  const classes = order.length;
  const probabilities = new Float64Array(rows * classes);
  if (classes === 2 && answer.length === rows) {
    const [first = 0, second = 1] = order;
    answer.forEach((p, row) => {
      probabilities[row * 2 + second] = p;
      probabilities[row * 2 + first] = 1 - p;
    });
    return probabilities;
  }
  if (answer.length !== rows * classes) {
    throw new Error(`${answer.length} numbers for ${rows} rows of ${classes} classes`);
  }
  for (let at = 0, row = 0; row < rows; row++) {
    for (const position of order) probabilities[row * classes + position] = answer[at++] ?? 0;
  }
  return probabilities;
}

/** What the engine wrote on its stderr, so that an error can say it; its chatter about progress is dropped. */
class EngineStderr {
  #lines: string[] = [];

  add(line: string): void {
    // Its log lines begin with a severity and the date: I0000, W0000, E0000, F0000.
    if (/^I\d{4} |^WARNING: All log messages before/.test(line) || line.trim() === '') return;
    this.#lines = [...this.#lines.slice(-9), line];
  }

  explain<T>(work: () => T): T {
    this.#lines = [];
    try {
      return work();
    } catch (cause) {
      throw this.#failure(cause);
    }
  }

  async explainLater<T>(work: () => Promise<T>): Promise<T> {
    this.#lines = [];
    try {
      return await work();
    } catch (cause) {
      throw this.#failure(cause);
    }
  }

  #failure(cause: unknown): RowcastError {
    const reason = cause instanceof Error ? cause.message : `exception ${String(cause)}`;
    const said = this.#lines.length === 0 ? '' : `; it said: ${this.#lines.join(' ')}`;
    return new RowcastError('engine_failed', `the engine failed: ${reason}${said}`, { cause });
  }
}
