import type { EventEmitter } from 'node:events';
import JSZip from 'jszip';
import loadYdf, { type Ydf, type YdfModel } from 'ydf-training';
import { RowcastError } from '../../errors.ts';
import { allToSinglePrecision } from './single-precision.ts';

/**
 * A column as numbers, null for missing values. Numerical and date columns have finite values; a
 * categorical one has level numbers, from 1.
 */
export type EncodedColumn = (number | null)[];

export interface TreeShape {
  trees: number;
  /** The mean depth of all leaves. */
  depth: number;
}

export interface EngineModel {
  readonly classCount: number;
  /**
   * For each row, a probability per class, in the order of the report's classes and in single precision.
   *
   * @param values a number per column and row, row after row: a level, a number or a date; NaN for a missing value
   */
  predict(values: Float64Array, rows: number): Float64Array;
  /** The shape of the trees, which determines the cost of a row; a linear model has no trees. */
  shape(): TreeShape;
  /** Frees the memory; the model cannot be used afterwards. */
  unload(): void;
}

/** Predicts with Yggdrasil Decision Forests models, which older reports have. */
export interface Engine {
  /** Loads a model of an older report: a zip of the engine's files. */
  load(file: Buffer): Promise<EngineModel>;
}

/**
 * Loads the WebAssembly module in about 30 ms.
 *
 * @throws RowcastError `engine_failed`, here and from all methods
 */
export async function loadEngine(): Promise<Engine> {
  const complaints = new EngineStderr();
  const ydf = await loadQuietly(complaints);
  return {
    load: file => complaints.explainLater(async () => wrap(await ydf.loadModelFromZipBlob(file), complaints)),
  };
}

/**
 * The engine expects a global JSZip, and adds process-wide handlers that rethrow uncaught errors. These handlers would
 * change how the program crashes, so they are removed.
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

/** The column names used in training, because real column names can contain anything. */
const columnName = (index: number) => `c${index}`;

function wrap(ydf: YdfModel, complaints: EngineStderr): EngineModel {
  // The engine orders classes by frequency; ours are numbers, in the report's order.
  const order = ydf.getLabelClasses().map(Number);
  return {
    classCount: order.length,
    predict: (values, rows) =>
      complaints.explain(() =>
        allToSinglePrecision(inOrder(ydf.predict(columnsOf(values, rows)), order, rows)),
      ),
    shape: () => complaints.explain(() => shapeOf(ydf.describe())),
    unload: () => ydf.unload(),
  };
}

/** The engine takes lists, one per column, with null for missing values. */
function columnsOf(values: Float64Array, rows: number): Record<string, EncodedColumn> {
  const width = rows === 0 ? 0 : values.length / rows;
  const column = (index: number): EncodedColumn =>
    Array.from({ length: rows }, (_, row) => {
      const value = values[row * width + index] as number;
      return Number.isNaN(value) ? null : value;
    });
  return Object.fromEntries(Array.from({ length: width }, (_, i) => [columnName(i), column(i)]));
}

/** Parses the engine's description of a model, the only source for the shape of its trees. */
function shapeOf(described: string): TreeShape {
  const trees = /^Number of trees: (\d+)$/m.exec(described)?.[1];
  const depth = /^Depth by leafs:\nCount: \d+ Average: ([\d.]+)/m.exec(described)?.[1];
  if (trees === undefined || depth === undefined)
    throw new Error('its description does not contain the shape of its trees');
  return { trees: Number(trees), depth: Number(depth) };
}

/** For two classes, the engine returns one number per row, the probability of its second class. */
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

/** Collects what the engine writes to stderr, for error messages; progress output is dropped. */
class EngineStderr {
  #lines: string[] = [];

  add(line: string): void {
    // Log lines begin with a severity and the date: I0000, W0000, E0000, F0000.
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
    const said = this.#lines.length === 0 ? '' : `; its output: ${this.#lines.join(' ')}`;
    return new RowcastError('engine_failed', `the engine failed: ${reason}${said}`, { cause });
  }
}
