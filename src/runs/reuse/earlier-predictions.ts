import { unlessStopped } from '../../base/interrupted.ts';
import type { RunValues } from '../../base/options/values/run-values.ts';
import { headerOfLayout } from '../../formats/csv/header.ts';
import { appendedFor, columnsToAppend } from '../../scoring/merge/appended-for.ts';
import type { RowsPlan } from '../../scoring/prepare.ts';
import type { CopiedRows } from '../../scoring/reuse/copied-rows.ts';
import type { KnownPredictions } from '../../scoring/reuse/known-rows.ts';
import { RowKeys, type RowsByKey } from '../../scoring/reuse/row-keys.ts';
import { type Backends, openSource } from '../../storage/backends.ts';
import { type EarlierFile, wasChanged } from './earlier-files.ts';
import { EarlierOutput, type RowOrder } from './earlier-output.ts';
import { earlierRows } from './earlier-rows.ts';
import type { Made } from './made-by.ts';

export interface EarlierPredictions {
  readonly known: KnownPredictions;
  close(): Promise<void>;
}

interface ReadingOptions {
  values: Pick<
    RunValues,
    'maxRecordBytes' | 'maxGroupBytes' | 'rename' | 'reuseMemory' | 'reuseSample' | 'probabilities'
  >;
  backends: Backends;
  stop: AbortSignal;
  /** Called when it is known how the rows of a file are found. */
  onOrder(file: string, order: RowOrder): void;
}

/** Finds predictions in earlier outputs, the first of which is asked first; undefined without any. */
export function earlierPredictions(
  files: readonly EarlierFile[],
  plan: RowsPlan,
  { values, backends, stop, onOrder }: ReadingOptions,
): EarlierPredictions | undefined {
  const [first] = files;
  if (first === undefined) return undefined;
  const { layout, features, report } = plan;
  const predictionType = first.made.prediction;
  const merging = { ...plan.values, layout, report };
  const appended = appendedFor(merging, predictionType);
  const names = columnsToAppend(merging, predictionType).map(({ name }) => name);
  const keys = new RowKeys();
  const { maxRecordBytes, maxGroupBytes, rename = {}, reuseMemory, reuseSample } = values;
  const outputs = files.map(
    ({ file, version, made: { places } }) =>
      new EarlierOutput({
        maxBytes: Math.floor(reuseMemory / files.length),
        onOrder: order => onOrder(file, order),
        async open(skipped) {
          const source = await openSource(file, false, undefined, backends, stop);
          try {
            const { size, modified } = source.version;
            if (size !== version.size || modified !== version.modified) throw wasChanged(file);
            const read = { maxRecordBytes, maxGroupBytes, nulls: plan.values.nulls };
            const maxBytes = appended?.maxBytes ?? 0;
            const from = { layout, features, rename, appended: names, maxBytes, keys, read, places };
            return untilStopped(await earlierRows(source, from, skipped), stop, () => source.close());
          } catch (error) {
            source.close();
            throw error;
          }
        },
      }),
  );
  const { delimiter } = layout.format === 'jsonl' ? { delimiter: '' } : headerOfLayout(layout).dialect;
  const known: KnownPredictions = {
    keys,
    predictionType,
    checkedShare: reuseSample !== undefined && 'percent' in reuseSample ? reuseSample.percent / 100 : 0,
    separator: Buffer.from(layout.ownNames.length > 0 ? delimiter : ''),
    probabilitiesOf: probabilitiesIn(predictionType, values, names, delimiter),
    isSame: (copied, now) =>
      copied.equals(now) || (layout.format === 'parquet' && haveSameValues(copied, now)),
    async find(rows: RowsByKey, into: CopiedRows) {
      for (const output of outputs) if (into.known < into.rows) await output.find(rows, into);
    },
  };
  return {
    known,
    async close() {
      for (const output of outputs) await output.close();
    },
  };
}

/** Reads until a run is stopped, also while the next batch is waited for. @throws Interrupted */
async function* untilStopped<T>(
  items: AsyncGenerator<T>,
  stop: AbortSignal,
  close: () => void,
): AsyncGenerator<T> {
  try {
    for (;;) {
      const next = await unlessStopped(items.next(), stop);
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    close();
  }
}

/** Reads the probabilities of all classes in copied bytes; undefined if they have not all of them. */
function probabilitiesIn(
  predictionType: Made['prediction'],
  { probabilities = 'all' }: Pick<RunValues, 'probabilities'>,
  names: readonly string[],
  delimiter: string,
): KnownPredictions['probabilitiesOf'] {
  if (predictionType.kind !== 'distribution' || probabilities !== 'all') return undefined;
  const isCsv = delimiter !== '';
  const before = names.map((name, index) =>
    isCsv ? Math.min(index, 1) : Buffer.byteLength(`,${JSON.stringify(name)}:`),
  );
  const between = Buffer.from(isCsv ? delimiter : ',');
  return copied => {
    let at = 0;
    return predictionType.classes.map((_, index) => {
      at += before[index] ?? 0;
      const found = copied.indexOf(between, at);
      const end = found === -1 ? copied.length : found;
      const text = copied.toString('latin1', at, end);
      at = end;
      return Number(text);
    });
  };
}

/** Numbers of Parquet have no digits after the point that are zero. */
function haveSameValues(copied: Buffer, now: Buffer): boolean {
  const [before, after] = [copied, now].map(bytes => bytes.toString().split(','));
  return (
    before?.length === after?.length &&
    before?.every((text, index) => text === after?.[index] || Number(text) === Number(after?.[index])) ===
      true
  );
}
