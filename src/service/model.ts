import * as z from 'zod';
import { RowcastError } from '../errors.ts';
import type { LearnedColumn } from './columns.ts';
import { dateNotations, dateOrders } from './date-parts.ts';
import { datePieces } from './dates.ts';
import type { Engine, EngineModel } from './engine.ts';
import { numberNotations } from './numbers.ts';

/** A report's model: the engine's part, and what its numbers stand for. */
export interface Model {
  engine: EngineModel;
  columns: readonly LearnedColumn[];
  classes: readonly string[];
}

/** The defaults are what format 1 means by a column that does not say how it is written. */
const learnedColumn = z.discriminatedUnion('type', [
  z.object({
    name: z.string(),
    type: z.literal('numerical'),
    notation: z.enum(numberNotations).default('plain'),
  }),
  z.object({
    name: z.string(),
    type: z.literal('date'),
    order: z.enum(dateOrders),
    notation: z.enum(dateNotations).default('plain'),
    piece: z.enum(datePieces).default('day'),
  }),
  z.object({ name: z.string(), type: z.literal('categorical'), levels: z.array(z.string()) }),
]);

const description = z.object({
  /** Counts up whenever an older rowcast would misread the file; all formats so far can be read. */
  format: z.literal([1, 2]),
  columns: z.array(learnedColumn),
  classes: z.array(z.string()),
});

/** The bytes of a model file. Leaks as `EngineModel.save` does. */
export function saveModel({ engine, columns, classes }: Model): Promise<Buffer> {
  return engine.save(JSON.stringify({ format: 2, columns, classes }));
}

/**
 * A model as `saveModel` wrote it.
 *
 * @throws RowcastError `engine_failed` or `damaged_model`
 */
export async function loadModel(engine: Engine, file: Buffer): Promise<Model> {
  const { model, description: text } = await engine.load(file);
  try {
    const { columns, classes } = description.parse(JSON.parse(text));
    if (classes.length !== model.classCount) throw new Error('its classes are not those of its description');
    return { engine: model, columns, classes };
  } catch (cause) {
    model.unload();
    throw new RowcastError('damaged_model', 'the model file does not describe a model', { cause });
  }
}
