import type { BatchMemory } from '../../base/kernel/batch-memory.ts';
import { type CsvParts, csvLayout, receivedParts } from '../../formats/csv/csv-layout.ts';
import type { Layout, LayoutData } from '../../formats/format.ts';
import type { CsvAsLinesParts } from '../../formats/jsonl/csv-as-lines.ts';
import type { LineParts } from '../../formats/jsonl/jsonl-layout.ts';
import type { LinesAsCsvParts } from '../../formats/jsonl/lines-as-csv.ts';
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

/**
 * Makes a layout of its data, in a thread that did not read the beginning of the input. Such a thread gets text,
 * whatever the file is, so it loads nothing of other formats.
 */
async function layoutFrom(data: LayoutData): Promise<Layout> {
  if (data.format === 'csv') return csvLayout(receivedParts(data.value as CsvParts)); // made by `csvLayout`
  const value = data.value as LineParts | LinesAsCsvParts | CsvAsLinesParts; // made by the layouts of lines
  if ('read' in value) {
    const { csvAsLines } = await import('../../formats/jsonl/csv-as-lines.ts');
    return csvAsLines(csvLayout(receivedParts(value.read)), value.options, value.file);
  }
  if (!('written' in value)) {
    const { lineLayout } = await import('../../formats/jsonl/jsonl-layout.ts');
    return lineLayout(value);
  }
  const { linesAsCsv } = await import('../../formats/jsonl/lines-as-csv.ts');
  return linesAsCsv({ shape: value.shape, written: receivedParts(value.written) });
}
