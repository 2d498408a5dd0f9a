import { heaviestBytes, mebibytes, type Parts, scoredOn } from './candidates.ts';
import { type Algorithm, algorithms, type Engine } from './engine.ts';
import { areClearlyLower, rowLosses } from './measures.ts';

/** Which algorithms are worth being trained on all rows, and why the others are not. */
export interface TrialOutcome {
  contenders: readonly Algorithm[];
  notes: string[];
}

/**
 * Tries the algorithms on a sample of the training part: the first one is always a contender, another only if it
 * does clearly better on validation and would not come out too heavy. A forest takes ten times as long as boosted
 * trees, grows with its rows where these do not, and seldom wins.
 *
 * @param rows of the whole training part
 */
export async function tryAlgorithms(
  engine: Engine,
  { types, training, validation }: Parts,
  rows: number,
): Promise<TrialOutcome> {
  const tried: { algorithm: Algorithm; losses: Float64Array; bytes: number }[] = [];
  for (const algorithm of algorithms) {
    const model = engine.train(algorithm, { types, ...training });
    const losses = rowLosses(scoredOn(validation, model));
    tried.push({ algorithm, losses, bytes: (await model.save('')).length });
    model.unload();
  }
  const [first, ...others] = tried;
  if (first === undefined) throw new Error('there are no algorithms');
  const tryRows = training.labels.length;
  const contenders = [first.algorithm];
  const notes: string[] = [];
  for (const { algorithm, losses, bytes } of others) {
    const heavy = (bytes / tryRows) * rows > heaviestBytes;
    if (!heavy && areClearlyLower(losses, first.losses)) contenders.push(algorithm);
    else
      notes.push(
        heavy
          ? `Not trained on all rows, ${algorithm}: it would weigh more than the limit of ${mebibytes(heaviestBytes)}.`
          : `Not trained on all rows, ${algorithm}: after ${tryRows.toLocaleString('en-US')} of them it was not clearly better on validation than ${first.algorithm}.`,
      );
  }
  return { contenders, notes };
}
