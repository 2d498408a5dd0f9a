import { type PredictionType, unknownColumns } from '../../base/contract/predictions.ts';
import type { Features, Prediction } from '../../base/contract/schemas.ts';
import { inputOptions } from '../../base/options/input.ts';
import { scoreDefaults } from '../../base/options/values/run-values.ts';
import { writeRow } from '../../base/write-row.ts';
import { readLayout } from '../../formats/formats.ts';
import type { Batch } from '../../formats/records/batch.ts';
import { liveSource } from '../../formats/records/byte-source.ts';
import { readBatches } from '../../formats/records/read-batches.ts';
import { ScoreBatch } from '../../scoring/batch/score-batch.ts';
import type { FeatureColumn } from '../../scoring/feature-columns.ts';
import { predictionOf } from '../../scoring/predictions.ts';
import type { Scorer } from '../../scoring/scorer.ts';

export interface PersonasOf {
  report: string;
  personas: readonly Features[];
  /** The classes in the order in which the service lists probabilities, if it does not name them. */
  classes?: readonly string[] | undefined;
  /** Column → type, as the service states it or the caller knows it; else the values say it. */
  types?: Readonly<Record<string, string>> | undefined;
}

const FILE = 'the personas';

/**
 * Predicts for objects with any scorer, in their order. They become rows of a CSV in memory, because a protocol writes
 * the bodies of requests from the bytes of rows. A text is sent as one, whatever it looks like; an empty text is
 * missing.
 *
 * @throws RowcastError; a `CallError` if a request has failed for good
 */
export async function predictFeatures(
  scorer: Scorer,
  { report, personas, classes, types = {} }: PersonasOf,
  stop: AbortSignal,
): Promise<Prediction[]> {
  const names = [...new Set(personas.flatMap(persona => Object.keys(persona)))];
  if (names.length === 0) return personas.map(() => ({ error: unknownColumns }));
  const maxRecordBytes = inputOptions['max-record-bytes'].max;
  const source = { ...liveSource(FILE, csvOf(names, personas)), contentName: 'personas.csv' };
  const { layout, rest } = await readLayout(source, { delimiter: ',', quote: '"', maxRecordBytes });
  const features = names.map((name, index) => ({ name, index, type: types[name] ?? typeOf(name, personas) }));
  const { batchBytes } = scoreDefaults;
  const batches = scorer.open({
    report,
    features,
    classes,
    layout,
    nulls: [],
    batchBytes,
    appended: undefined,
  });
  const records = layout.records({
    file: FILE,
    batchRows: batches.batchRows,
    batchBytes: () => batches.maxBatchBytes(),
    rowOverhead: batches.rowOverhead,
    isShared: batches.sharesMemory ?? false,
    maxRecordBytes,
    areRows: true,
    start: layout.start,
  });
  const predictionType: PredictionType | undefined = classes && { kind: 'distribution', classes };
  const feedback = { predictionType: () => predictionType };
  const scoring = new ScoreBatch({
    file: FILE,
    layout,
    scorer: batches,
    feedback,
    hasScored: false,
    signal: stop,
  });
  const predict = async (part: Batch): Promise<Prediction[]> => {
    const { predictions } = await scoring.score(part);
    return Array.from({ length: part.end.row - part.start.row }, (_, row) => predictionOf(predictions, row));
  };
  // The client limits its requests, and the personas are in memory anyway.
  const scored: Promise<Prediction[]>[] = [];
  try {
    for await (const batch of readBatches({ records, rest, source }))
      for (const part of batches.parts(batch)) scored.push(predict(part));
    return (await Promise.all(scored)).flat();
  } finally {
    await Promise.allSettled(scored);
    batches.close?.();
  }
}

/** A header and a record for each persona. */
async function* csvOf(names: readonly string[], personas: readonly Features[]): AsyncGenerator<Buffer> {
  yield Buffer.from(writeRow(names));
  for (const persona of personas) {
    const record = writeRow(
      names.map(name => (Object.hasOwn(persona, name) ? String(persona[name] ?? '') : '')),
    );
    // A record that is empty would be a blank line, which is no row.
    yield Buffer.from(record === '\n' ? '""\n' : record);
  }
}

/** Texts are sent as texts, whatever they look like, as is a column of different values; numbers as they look. */
function typeOf(name: string, personas: readonly Features[]): FeatureColumn['type'] {
  const types = new Set(
    personas.flatMap(persona => {
      const value = Object.hasOwn(persona, name) ? persona[name] : null;
      return value === null || value === undefined ? [] : [typeof value];
    }),
  );
  if (types.has('string')) return 'text';
  return types.has('boolean') && types.size === 1 ? 'boolean' : undefined;
}
