import type { BatchMemory } from '../../base/kernel/batch-memory.ts';
import { layoutFrom } from '../../formats/layout-from.ts';
import type { Batch } from '../../formats/records/batch.ts';
import type { Scored } from '../../scoring/scorer.ts';
import type { StoredModel } from '../model/compiled-model.ts';
import type { EngineModel } from '../model/engine.ts';
import { RecordScorer } from './record-scorer.ts';
import type { InputData } from './threads/thread-messages.ts';
import { asBuffer, ownedBy } from './threads/transfer.ts';
import type { Answered } from './threads/worker-thread.ts';

/** Prepares for the batches of an input, in a thread. */
export async function openThreadInput(
  { layout, ...data }: InputData,
  { columns, prediction }: Pick<StoredModel, 'columns' | 'prediction'>,
  engine: EngineModel,
  memory: BatchMemory | undefined,
): Promise<RecordScorer> {
  return new RecordScorer({ ...data, layout: await layoutFrom(layout), columns, prediction, engine, memory });
}

/** Scores a batch of an input that was opened before, in a thread. */
export async function scoreBatch(
  input: Promise<RecordScorer> | undefined,
  { batch, into }: { batch: Batch; into?: Uint8Array },
): Promise<Answered<Scored>> {
  const scorer = await input;
  if (scorer === undefined) throw new Error('the input is not open');
  const scored = scorer.score({ ...batch, bytes: asBuffer(batch.bytes) }, into && asBuffer(into));
  return { result: scored, memory: scored.merged === undefined ? [] : ownedBy(scored.merged.bytes) };
}

/** What another thread has scored, with Buffers again. */
export function receivedScored(scored: Scored): Scored {
  if (scored.merged === undefined) return scored;
  const { bytes, ends } = scored.merged;
  return { ...scored, merged: { bytes: asBuffer(bytes), ends } };
}
