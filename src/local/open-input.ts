import { layoutFrom } from '../formats/layout-from.ts';
import type { ModelUse } from '../reports/model/own-model.ts';
import { engineOf } from '../reports/model/stored-model.ts';
import { RecordScorer } from './record-scorer.ts';
import type { InputData } from './thread-messages.ts';

/** Prepares for the batches of an input. */
export async function openInput(
  { layout, features, nulls, appended, model }: InputData,
  use: ModelUse,
): Promise<RecordScorer> {
  const { columns, classes } = model;
  const engine = await engineOf(model, use);
  return new RecordScorer({
    layout: layoutFrom(layout),
    features,
    nulls,
    appended,
    columns,
    classes,
    engine,
  });
}
