import { relative } from 'node:path';
import { loadDefinition } from '../../definition/definition.ts';
import type { Context } from '../context.ts';
import { runScore } from './score.ts';
import { runTrain } from './train.ts';

/** Does what a definition says: trains its report, if it has a training, and scores its rows. */
export async function run(context: Context): Promise<number> {
  const file = String(context.flags.definition);
  const { train, score } = await loadDefinition(file);
  context.log.info(`running ${relative('.', file)}`);
  const quiet = { ...context, flags: {} };
  if (train !== undefined) await runTrain(quiet, train);
  return runScore(quiet, score);
}
