import * as z from 'zod';
import { RowcastError } from '../errors.ts';
import type { LearnedColumn } from './columns.ts';
import { dateOrders } from './dates.ts';
import type { Engine, EngineModel } from './engine.ts';

/** A report's model: the engine's part, and what its numbers stand for. */
export interface Model {
  engine: EngineModel;
  columns: readonly LearnedColumn[];
  classes: readonly string[];
}

const learnedColumn = z.discriminatedUnion('type', [
  z.object({ name: z.string(), type: z.literal('numerical') }),
  z.object({ name: z.string(), type: z.literal('date'), order: z.enum(dateOrders) }),
  z.object({ name: z.string(), type: z.literal('categorical'), levels: z.array(z.string()) }),
]);

const description = z.object({
  /** Counts up whenever an older file can no longer be read. */
  format: z.literal(1),
  columns: z.array(learnedColumn),
  classes: z.array(z.string()),
});

/** The bytes of a model file. Leaks as `EngineModel.save` does. */
export function saveModel({ engine, columns, classes }: Model): Promise<Buffer> {
  return engine.save(JSON.stringify({ format: 1, columns, classes }));
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
