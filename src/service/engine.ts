import type { EventEmitter } from 'node:events';
import JSZip from 'jszip';
import loadYdf, { type Ydf, type YdfModel } from 'ydf-training';
import type { ColumnType } from '../api/shapes.ts';
import { RowcastError } from '../errors.ts';

/** The algorithms that are compared. The engine's CART is not among them: it aborts. */
export const algorithms = ['gradient boosted trees', 'random forest'] as const;
export type Algorithm = (typeof algorithms)[number];

/**
 * A column as numbers, null where a value is missing. A numerical column and one of dates have finite float32
 * values; a categorical one has the number of its level, from 1.
 */
export type EncodedColumn = (number | null)[];

export interface TrainingTable {
  types: readonly ColumnType[];
  /**
   * One a type, all of the same length. A categorical's levels must be numbered by falling frequency in these
   * rows, and each must occur at least `minLevelRows` times: that is how the engine numbers its dictionary.
   */
  columns: readonly EncodedColumn[];
  /** Each row's class, from 0 in the order of the report's classes; every class occurs. */
  labels: readonly number[];
}

export interface TreeShape {
  trees: number;
  /** Nodes from a root to a leaf, in the mean over all leaves. */
  depth: number;
}

export interface EngineModel {
  readonly classCount: number;
  /** Row by row, a probability a class, in the order of the report's classes. */
  predict(columns: readonly EncodedColumn[]): Float64Array;
  /**
   * The model and a description of the caller's as one file. The engine leaks what it saves, so call this only
   * in a thread that ends soon. Two saves differ: the engine writes the time and a random id of its own.
   */
  save(description: string): Promise<Buffer>;
  /** What a row's way through the trees comes to, whatever the machine. */
  shape(): TreeShape;
  /** Frees the engine's memory; the model cannot be used afterwards. */
  unload(): void;
}

export interface Engine {
  train(algorithm: Algorithm, table: TrainingTable): EngineModel;
  /** A model as `save` wrote it, and the description that was saved with it. */
  load(file: Buffer): Promise<{ model: EngineModel; description: string }>;
}

/** The engine takes a category that is rarer than this in training (its default) for an unknown one. */
export const minLevelRows = 5;

const descriptionFile = 'rowcast.json';

/**
 * Loads the WebAssembly, in about 30 ms.
 *
 * @throws RowcastError `engine_failed`, from all that it does
 */
export async function loadEngine(): Promise<Engine> {
  const complaints = new Complaints();
  const ydf = await loadQuietly(complaints);
  return {
    train: (algorithm, table) =>
      complaints.explain(() => {
        const model = trainYdf(ydf, algorithm, table);
        checkNumbering(model, table);
        return wrap(model, complaints);
      }),
    load: file =>
      complaints.explainLater(async () => {
        const description = await (await JSZip.loadAsync(file)).file(descriptionFile)?.async('string');
        if (description === undefined) throw new Error('the model file has no description');
        return { model: wrap(await ydf.loadModelFromZipBlob(file), complaints), description };
      }),
  };
}

/**
 * The engine looks for a global JSZip, and on loading it adds process-wide handlers that throw again whatever
 * was not caught: those would change how the whole program dies, so they are taken off.
 */
async function loadQuietly(complaints: Complaints): Promise<Ydf> {
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

/** Names of the engine's own, because a column's or a class's can hold anything. */
const columnName = (index: number) => `c${index}`;
const levelName = (level: number) => `v${String(level).padStart(6, '0')}`;
const labelColumn = 'label';

function trainYdf(ydf: Ydf, algorithm: Algorithm, table: TrainingTable): YdfModel {
  const Learner = algorithm === 'random forest' ? ydf.RandomForestLearner : ydf.GradientBoostedTreesLearner;
  const columns = namedColumns(table.types, table.columns);
  // Names of classes, never numbers: the engine takes a column of numbers for an amount.
  columns[labelColumn] = table.labels.map(String);
  return new Learner(labelColumn, 'CLASSIFICATION').train(columns);
}

/** As training wants it: a missing number is NaN, a missing category ''. */
function namedColumns(types: readonly ColumnType[], columns: readonly EncodedColumn[]) {
  const named: Record<string, (number | string)[]> = {};
  columns.forEach((values, i) => {
    named[columnName(i)] =
      types[i] === 'categorical'
        ? values.map(level => (level === null ? '' : levelName(level)))
        : values.map(value => value ?? Number.NaN);
  });
  return named;
}

function wrap(ydf: YdfModel, complaints: Complaints): EngineModel {
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
    save: description => complaints.explainLater(() => save(ydf, description)),
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

/**
 * Predicting by a level's number is a third faster than by its name, and right only as long as the engine
 * numbers levels as TrainingTable says; so each model has to show it on rows of its training.
 */
function checkNumbering(ydf: YdfModel, table: TrainingTable): void {
  const byNumber: Record<string, EncodedColumn> = {};
  const byName: Record<string, (number | string | null)[]> = {};
  table.columns.forEach((values, i) => {
    const sample = values.slice(0, 1000);
    byNumber[columnName(i)] = sample;
    byName[columnName(i)] =
      table.types[i] === 'categorical' ? sample.map(level => level && levelName(level)) : sample;
  });
  const expected = ydf.predict(byName);
  if (ydf.predict(byNumber).some((p, i) => p !== expected[i])) {
    throw new Error('its levels are not numbered by falling frequency');
  }
}

async function save(ydf: YdfModel, description: string): Promise<Buffer> {
  const log = console.log;
  console.log = () => {}; // The engine tells each file's name on stdout, past its own `print`.
  try {
    const zip = await JSZip.loadAsync(await (await ydf.save()).arrayBuffer());
    return await zip.file(descriptionFile, description).generateAsync({ type: 'nodebuffer' });
  } finally {
    console.log = log;
  }
}

/** What the engine wrote on its stderr, so that an error can say it; its chatter about progress is dropped. */
class Complaints {
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
