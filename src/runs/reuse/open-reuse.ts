import { RowcastError } from '../../base/errors.ts';
import type { RunValues } from '../../base/options/values/run-values.ts';
import { sanitize } from '../../base/sanitize.ts';
import { reasonOf } from '../../base/system-error.ts';
import { headerOfLayout } from '../../formats/csv/header.ts';
import { appendedFor, columnsToAppend } from '../../scoring/merge/appended-for.ts';
import type { RowsPlan } from '../../scoring/prepare.ts';
import type { CopiedRows } from '../../scoring/reuse/copied-rows.ts';
import type { KnownPredictions } from '../../scoring/reuse/known-rows.ts';
import { RowKeys, type RowsByKey } from '../../scoring/reuse/row-keys.ts';
import { LOCAL } from '../../scoring/scorer.ts';
import type { FileVersion } from '../../storage/backend.ts';
import {
  backends as defaultBackends,
  documentAt,
  isPattern,
  namesMatching,
  openSource,
  sha256Of,
  versionOf,
} from '../../storage/backends.ts';
import type { Fingerprint } from '../checkpoint/checkpoint.ts';
import type { RunResult } from '../observer.ts';
import { writtenFile } from '../output/written-file.ts';
import type { Run } from '../run.ts';
import type { RunRecord } from '../run-record.ts';
import { EarlierOutput } from './earlier-output.ts';
import { earlierRows } from './earlier-rows.ts';
import {
  checkMade,
  type Made,
  type MadeBy,
  madeBy,
  madeFileOf,
  madeShape,
  otherPredictions,
} from './made-by.ts';

/** What a run with --reuse copies, and keeps for the next one. */
export interface Reuse {
  /** Undefined if there is nothing to copy. */
  readonly known: KnownPredictions | undefined;
  /** The files that are reused, for the fingerprint of the run. */
  readonly identity: string;
  /** Writes beside the finished output what made it. */
  keep(
    result: Pick<RunResult, 'rowCounts' | 'checksums'>,
    prediction: Made['prediction'] | undefined,
  ): Promise<void>;
  close(): Promise<void>;
}

/** An earlier output that fits. */
interface EarlierFile {
  readonly file: string;
  readonly made: Made;
  /** The version of the file that was compared with it. */
  readonly version: FileVersion;
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
  const { values, backends = defaultBackends, control } = run;
  if (values.dedupe) checkSentOnce(plan, '--dedupe');
  if (values.reuse === undefined) return undefined;
  checkOptions(run, plan);
  const now = madeBy(fingerprint, plan, values);
  const files: EarlierFile[] = [];
  for (const file of await filesOf(values, backends, control.signal)) {
    const made = await readMade(file, { run, record, plan, now });
    if (made !== undefined) files.push(made);
  }
  const [first] = files;
  for (const { file, made } of files)
    if (JSON.stringify(made.prediction) !== JSON.stringify(first?.made.prediction))
      throw otherPredictions(file, `what is predicted is not what ${sanitize(first?.file ?? '')} has`);
  const outputs: EarlierOutput[] = [];
  return {
    known: first && knownIn(files, { run, record, plan }, outputs),
    identity: JSON.stringify(files.map(({ file, made: { run_id, output } }) => [file, run_id, output])),
    async keep(result, prediction) {
      await keepMade(run, record, { result, prediction, files, now }).catch(cause =>
        record.note({
          code: 'reuse_not_kept',
          message: `the next run cannot reuse ${sanitize(values.output)}: ${reasonOf(cause)}`,
        }),
      );
    },
    async close() {
      for (const output of outputs) await output.close();
    },
  };
}

/** Checks that it matters how many rows are sent, and not which. @throws RowcastError `bad_option` */
function checkSentOnce({ scorer }: Pick<RowsPlan, 'scorer'>, option: string): void {
  const refuse = (why: string): never => {
    throw new RowcastError('bad_option', `${option}: ${why}`, { hint: 'Leave it out.' });
  };
  if (scorer.name === LOCAL)
    refuse('a local report predicts a row in the time in which an earlier prediction is found');
  if (scorer.dependsOnBatch === true)
    refuse('the predictions of this service depend on which rows share a request');
}

/** @throws RowcastError `bad_option` */
function checkOptions({ values, part }: Run, plan: RowsPlan): void {
  checkSentOnce(plan, '--reuse');
  const { layout, report } = plan;
  const refuse = (why: string, hint: string): never => {
    throw new RowcastError('bad_option', `--reuse: ${why}`, { hint });
  };
  if (part !== undefined) refuse('a run in shards sends all rows', 'Leave it out, or score without shards.');
  const { format = layout.format } = writtenFile(values);
  if (format !== layout.format)
    refuse(
      `the output is of the format ${format}, and the input of ${layout.format}, so an output does not tell what was sent`,
      'Write the format of the input, or leave it out.',
    );
  if (values.outputHeader === false && format === 'csv')
    refuse('an output without a header does not tell its columns', 'Leave out --no-output-header.');
  if (values.reuseSample !== undefined && !('percent' in values.reuseSample))
    throw new RowcastError('bad_option', '--reuse-sample: expected a share, such as 0.1%');
  if (report.model_sha256 === undefined && values.reuseMaxAge === undefined)
    refuse(
      'the service states no version of its model, so a prediction may be of another model',
      'Take that risk for a time, such as --reuse-max-age 7d, or leave it out.',
    );
}

/** The files that are named, each once, in order; those of a pattern from the last name to the first. */
async function filesOf(
  { reuse }: Pick<RunValues, 'reuse'>,
  backends: NonNullable<Run['backends']>,
  stop: AbortSignal,
): Promise<string[]> {
  const files: string[] = [];
  for (const name of [reuse ?? []].flat())
    if (await isPattern(name, backends, stop))
      files.push(...(await namesMatching(name, backends, stop)).filter(isOutput).toReversed());
    else files.push(name);
  return [...new Set(files)];
}

/** A pattern may match files beside outputs. */
const isOutput = (name: string): boolean => !/\.(?:reuse|rejects|checkpoint|partial|lock)$/.test(name);

interface ReadMadeOptions {
  run: Run;
  record: RunRecord;
  plan: RowsPlan;
  now: MadeBy;
}

/**
 * What made an output.
 *
 * @returns undefined if the output does not exist or is too old
 * @throws RowcastError `other_predictions`
 */
async function readMade(
  file: string,
  { run, record, plan, now }: ReadMadeOptions,
): Promise<EarlierFile | undefined> {
  const { backends = defaultBackends, values, control } = run;
  const nothing = (why: string): undefined => {
    record.note({ code: 'nothing_to_reuse', message: `nothing of ${sanitize(file)} is reused: ${why}` });
  };
  const version = await versionOf(file, backends, control.signal);
  if (version === undefined) return nothing('there is no such file');
  const bytes = await documentAt(madeFileOf(file), backends).read();
  if (bytes === undefined)
    throw otherPredictions(
      file,
      `nothing tells what made them, since there is no ${sanitize(madeFileOf(file))}`,
      'A run with --reuse writes it beside its output, even if it finds nothing to reuse. For the first run, name a file that does not exist yet.',
    );
  const made = madeOf(file, bytes);
  const { output, sha256 } = made;
  const isSame =
    output.size === version.size &&
    (output.etag === undefined
      ? output.modified === version.modified ||
        (sha256 !== null && sha256 === (await sha256Of(file, backends)))
      : output.etag === version.etag);
  // A run that was killed when its output was there has not written what made it.
  if (!isSame && file === values.output) return nothing('nothing tells what made it');
  if (!isSame) throw wasChanged(file);
  checkMade(file, made, now, plan);
  const age = (Date.parse(record.attempt.runStartedAt) - Date.parse(made.predicted_at)) / 1000;
  if (values.reuseMaxAge !== undefined && age > values.reuseMaxAge)
    return nothing(`its oldest predictions are of ${made.predicted_at}, and so older than --reuse-max-age`);
  if (plan.report.model_sha256 === undefined)
    record.note({
      code: 'reuse_without_version',
      message: `predictions since ${made.predicted_at} are reused, although the service does not tell whether its model has changed`,
    });
  return { file, made, version };
}

const wasChanged = (file: string): RowcastError =>
  otherPredictions(file, 'the file was changed since its run has finished, or copied without its time');

function madeOf(file: string, bytes: Buffer): Made {
  try {
    return madeShape.parse(JSON.parse(bytes.toString()));
  } catch {
    throw otherPredictions(file, `${sanitize(madeFileOf(file))} is not what this version of rowcast writes`);
  }
}

/** @param outputs receives what is to be closed */
function knownIn(
  files: readonly EarlierFile[],
  { run, record, plan }: Omit<ReadMadeOptions, 'now'>,
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
  for (const { file, version } of files)
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
            const from = { layout, features, rename, appended: names, maxBytes, keys, read };
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

interface Kept {
  result: Pick<RunResult, 'rowCounts' | 'checksums'>;
  prediction: Made['prediction'] | undefined;
  files: readonly EarlierFile[];
  now: MadeBy;
}

async function keepMade(
  { values: { output }, backends = defaultBackends }: Run,
  record: RunRecord,
  { result, prediction, files, now }: Kept,
): Promise<void> {
  const version = output === '-' ? undefined : await versionOf(output, backends);
  if (version === undefined || prediction === undefined) return;
  const finished = new Date().toISOString();
  const reused = (result.rowCounts.reused ?? 0) > 0 ? files : [];
  const made: Made = {
    format: 1,
    run_id: record.attempt.runId,
    finished_at: finished,
    predicted_at: reused.reduce(
      (oldest, { made: { predicted_at: at } }) => (at < oldest ? at : oldest),
      finished,
    ),
    output: version,
    sha256: result.checksums?.output ?? null,
    prediction,
    made_by: now,
  };
  await documentAt(madeFileOf(output), backends).update(() => Buffer.from(`${JSON.stringify(made)}\n`));
}
