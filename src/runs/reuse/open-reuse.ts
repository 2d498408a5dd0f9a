import type { PredictionType } from '../../base/contract/predictions.ts';
import type { RunValues } from '../../base/options/values/run-values.ts';
import { headerOfLayout } from '../../formats/csv/header.ts';
import { appendedFor, columnsToAppend } from '../../scoring/merge/appended-for.ts';
import type { RowsPlan } from '../../scoring/prepare.ts';
import type { CopiedRows } from '../../scoring/reuse/copied-rows.ts';
import type { KnownPredictions } from '../../scoring/reuse/known-rows.ts';
import { RowKeys, type RowsByKey } from '../../scoring/reuse/row-keys.ts';
import { backends as defaultBackends, openSource } from '../../storage/backends.ts';
import type { Fingerprint } from '../checkpoint/checkpoint.ts';
import type { RunResult } from '../observer.ts';
import type { Run } from '../run.ts';
import type { RunRecord } from '../run-record.ts';
import { checkSentOnce, type EarlierFile, earlierFiles, wasChanged } from './earlier-files.ts';
import { EarlierOutput } from './earlier-output.ts';
import { earlierRows } from './earlier-rows.ts';
import { keepMade } from './keep-made.ts';
import { type Made, madeBy } from './made-by.ts';

/** What a run with --reuse copies, and keeps for the next one. */
export interface Reuse {
  /** Undefined if there is nothing to copy. */
  readonly known: KnownPredictions | undefined;
  /** The files that are reused, for the fingerprint of the run. */
  readonly identity: string;
  /** Writes beside the finished output what made it. */
  keep(
    result: Pick<RunResult, 'rowCounts' | 'checksums'>,
    prediction: PredictionType | undefined,
  ): Promise<void>;
  close(): Promise<void>;
}

/**
 * Finds the earlier outputs of --reuse, and what in them can be reused.
 *
 * @param fingerprint of the run, without what it reuses
 * @returns undefined without --reuse, when only what --dedupe needs is checked
 * @throws RowcastError `bad_option`, `other_predictions`; of reading a file
 */
export async function openReuse(
  run: Run,
  record: RunRecord,
  plan: RowsPlan,
  fingerprint: Fingerprint,
): Promise<Reuse | undefined> {
  const { values, backends = defaultBackends, control, part } = run;
  if (values.dedupe) checkSentOnce(plan, '--dedupe');
  if (values.reuse === undefined) return undefined;
  const now = madeBy(fingerprint, plan, values);
  const files = await earlierFiles(values, plan, {
    now,
    planned: part?.earlier,
    startedAt: record.attempt.runStartedAt,
    backends,
    stop: control.signal,
    note: warning => record.note(warning),
  });
  const outputs: EarlierOutput[] = [];
  return {
    known: files.length > 0 ? knownIn(files, { run, record, plan }, outputs) : undefined,
    identity: JSON.stringify(files.map(({ file, made: { run_id, output } }) => [file, run_id, output])),
    async keep({ rowCounts, checksums }, prediction) {
      // The parts of a run in shards are kept when they are joined.
      if (part !== undefined || prediction === undefined) return;
      const { output } = values;
      const earlier = files.map(({ made }) => made);
      const written = { output, prediction, made_by: now, earlier, rowCounts, checksums };
      await keepMade(record, backends, written);
    },
    async close() {
      for (const output of outputs) await output.close();
    },
  };
}

/** @param outputs receives what is to be closed */
function knownIn(
  files: readonly EarlierFile[],
  { run, record, plan }: { run: Run; record: RunRecord; plan: RowsPlan },
  outputs: EarlierOutput[],
): KnownPredictions {
  const { values, backends = defaultBackends, control } = run;
  const { layout, features, report, options } = plan;
  const predictionType = (files[0] as EarlierFile).made.prediction;
  const merging = { ...options, layout, report };
  const appended = appendedFor(merging, predictionType);
  const names = columnsToAppend(merging, predictionType).map(({ name }) => name);
  const keys = new RowKeys();
  const { maxRecordBytes, maxGroupBytes, rename = {} } = values;
  for (const {
    file,
    version,
    made: { places },
  } of files)
    outputs.push(
      new EarlierOutput({
        maxBytes: Math.floor(values.reuseMemory / files.length),
        onOrder: order => record.reuses(file, order),
        async open(skipped) {
          const source = await openSource(file, false, undefined, backends, control.signal);
          try {
            const { size, modified } = source.version;
            if (size !== version.size || modified !== version.modified) throw wasChanged(file);
            const read = { maxRecordBytes, maxGroupBytes, nulls: options.nulls };
            const maxBytes = appended?.maxBytes ?? 0;
            const from = { layout, features, rename, appended: names, maxBytes, keys, read, places };
            return closing(await earlierRows(source, from, skipped), () => source.close());
          } catch (error) {
            source.close();
            throw error;
          }
        },
      }),
    );
  const { reuseSample } = values;
  const { delimiter } = layout.format === 'jsonl' ? { delimiter: '' } : headerOfLayout(layout).dialect;
  return {
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
}

async function* closing<T>(items: AsyncGenerator<T>, close: () => void): AsyncGenerator<T> {
  try {
    yield* items;
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
