import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { asStream, chain, flushable, gen } from 'stream-chain';
import type { Client } from '../client/client.ts';
import { checkRejects } from '../config/reject-limit.ts';
import { RowcastError } from '../errors.ts';
import { longFieldOfHeader } from '../formats/csv/long-field.ts';
import type { Position } from '../formats/csv/position.ts';
import { readBatches, readHead } from '../formats/csv/read-batches.ts';
import { RecordReader } from '../formats/csv/record-reader.ts';
import { rejectsHeaderText, rejectsText } from '../formats/csv/reject-records.ts';
import { type Accounts, accountsOf, checkBalance, count, countCalls } from '../runs/accounts.ts';
import { fingerprintOf } from '../runs/checkpoint/fingerprint.ts';
import { seekToCheckpoint } from '../runs/checkpoint/resume.ts';
import type { ScoreOptions } from '../runs/options.ts';
import { acquireOutput } from '../runs/output/acquire-output.ts';
import type { AcquiredOutput, CommitPoint } from '../runs/output/output.ts';
import { type LockedPaths, lockRunPaths } from '../runs/paths/lock-paths.ts';
import type { Checksums } from '../runs/summary.ts';
import type { Files } from '../storage/local/durable-files.ts';
import { openSource } from '../storage/open-source.ts';
import type { Source } from '../storage/source.ts';
import { batchLimits } from './batch-size.ts';
import { BodyWriter } from './body-writer.ts';
import { encode, rowOverhead } from './encode.ts';
import { chooseFeatures } from './feature-columns.ts';
import { inFlight, type ScoredBatch } from './in-flight.ts';
import { Merger } from './merge/merge.ts';
import type { RunObserver } from './observer.ts';
import { rescoreSuspect } from './rescore-suspect.ts';
import { batchScorer } from './score-batch.ts';
import { Interrupted, stopping, unlessStopped } from './stop.ts';

/**
 * Maximum bytes in flight, including request bodies: enough that one request in a hundred may take twenty times as long
 * as the others without delaying them (test/bench/RESULTS.md).
 */
export const WINDOW_BYTES = 32 << 20;

/** The result of a run. */
export interface RunResult {
  accounts: Accounts;
  /** The row at which an unfinished run was resumed. */
  resumedFrom: number | undefined;
  checksums: Checksums | undefined;
}

/**
 * Scores a CSV: returns every row, in input order, with its predicted probabilities.
 *
 * @param client the service; it is not closed
 * @param files writes the output's files
 * @returns undefined when OUTPUT exists and --if-exists is skip
 * @throws RowcastError with its location in the input; OUTPUT is then unchanged, and the same command resumes
 * @throws Interrupted if the run was stopped by its signal
 * @throws ClosedPipe if the reader of stdout closed its end
 */
export async function score(
  options: ScoreOptions,
  client: Client,
  observer: RunObserver = {},
  files?: Files,
): Promise<RunResult | undefined> {
  const locked = await lockRunPaths(options);
  try {
    return await scoreTo(locked, options, client, observer, files);
  } finally {
    await locked.release();
  }
}

/** The same, for paths that are locked already; they stay locked. */
export async function scoreTo(
  locked: LockedPaths,
  options: ScoreOptions,
  client: Client,
  observer: RunObserver = {},
  files?: Files,
): Promise<RunResult | undefined> {
  const source = await openSource(options.input, options.checksum);
  try {
    const acquired = await acquireOutput(options, {
      locked,
      inputMode: source.mode,
      stop: observer.stop,
      files,
    });
    return acquired && (await run(options, client, observer, source, acquired, locked));
  } finally {
    source.close();
  }
}

/** source ─bytes→ records ─batches→ in flight (encode, request, retry) ─predictions→ merge ─bytes→ output */
async function run(
  options: ScoreOptions,
  client: Client,
  observer: RunObserver,
  source: Source,
  acquired: AcquiredOutput,
  { relativeRejects: rejects }: LockedPaths,
): Promise<RunResult> {
  // Errors of the command are detected before anything is written.
  const report = await unlessStopped(client.report(options.report), observer.stop);
  const head = await unlessStopped(readHead(source, options), observer.stop);
  const { header } = head;
  const features = chooseFeatures(header, report, options, source.name);
  const merger = new Merger({ ...options, header, report });
  const { dialect } = header;
  const service = client.name;
  const fingerprint = fingerprintOf({ source, service, report, rejects, options, dialect });

  const identity = { fingerprint, rejectsHeader: rejectsHeaderText(header) };
  const output = await acquired.open(identity).catch(error => {
    throw observer.stop?.aborted ? new Interrupted(observer.stop) : error;
  });
  const { previous } = output;
  const before = accountsOf(previous?.checkpoint);
  const accounts = structuredClone(before);
  const { reading, calling, end } = stopping(observer.stop, () => source.close());
  try {
    const { rest, digest, start, lastByte } = await seekToCheckpoint(source, head, previous);
    if (previous !== undefined) {
      merger.resume(previous.checkpoint.classes, lastByte);
      observer.onResume?.({ row: start.row, accounts: before });
    }
    const fractionAt = fractionBefore(source, options.limit);
    const resumePoint = () => output.resumePoint;
    const done = { scored: before.scored, fraction: fractionAt(start) };

    const input = { file: source.name, width: header.names.length, dialect: header.dialect };
    const longName = longFieldOfHeader(header);
    if (longName !== undefined) observer.onLongField?.(longName);
    const overhead = rowOverhead(features, client.wire);
    const limits = batchLimits(options.batchBytes, overhead);
    const records = new RecordReader({
      ...options,
      ...input,
      batchBytes: limits.maxBatchBytes,
      rowOverhead: overhead,
      start,
      onLongField: longName === undefined ? observer.onLongField : undefined,
    });
    const bodyWriter = new BodyWriter();
    const toBody = encode({
      ...options,
      ...input,
      bodyWriter,
      batchBytes: limits.maxBodyBytes,
      features,
      wire: client.wire,
    });
    const call = batchScorer({
      ...input,
      client,
      report: options.report,
      toBody,
      classes: () => merger.classes,
      limits,
      hasScored: accounts.scored > 0,
      signal: calling,
    });
    const concurrency = (): number => client.concurrency;
    const { send, settle } = inFlight({
      concurrency,
      windowBytes: WINDOW_BYTES,
      call,
      release: body => bodyWriter.release(body),
    });
    const rescore = rescoreSuspect({ toBody, call, check: () => client.checkWritten() });
    const merge = flushable((scored: ScoredBatch) => merger.merge(scored), merger.end.bind(merger));

    let inputFailure: unknown;
    const batches = readBatches({ records, rest, source, stop: reading }, failure => {
      inputFailure = failure;
    });
    const flow = chain(
      [
        Readable.from(batches, { highWaterMark: 1 }),
        asStream(gen(toBody, send), boundedByWindow),
        asStream(gen(settle, rescore, merge), unbuffered),
      ],
      unbuffered,
    );
    let position = start;
    const commitPoint = (): CommitPoint => ({
      position,
      prefix: digest.state(),
      classes: merger.classes ?? [],
      accounts: structuredClone(accounts),
    });
    for await (const merged of flow) {
      const isFirstReject = accounts.rejected === 0;
      count(accounts, merged);
      countCalls(accounts, before, client.statistics);
      digest.update(merged.input);
      position = merged.end;
      const { rejects } = merged;
      const piece = { ...merged, rejects: rejectsText(rejects, header, isFirstReject) };
      // A reader that no longer reads must not block a run from stopping.
      await unlessStopped(output.write(piece, commitPoint), calling);
      for (const reject of rejects) observer.onReject?.(reject);
      records.release(position.offset);
      checkRejects(options.maxRejects, accounts, false);
      observer.onProgress?.({
        accounts,
        fraction: fractionAt(position),
        before: done,
        resumePoint,
      });
    }
    if (inputFailure !== undefined) throw inputFailure;
    if (reading.aborted) throw new Interrupted(observer.stop);
    await client.checkAllWritten(options.report);
    await source.checkUnchanged();
    // Ctrl-C may also end the producer in the middle of a record, which then looks like the last one. A signal that
    // arrives together with the last response is only handled after it, so check again before the run is complete.
    await nextTurn();
    if (reading.aborted) throw new Interrupted(observer.stop);
    checkBalance(accounts);
    checkRejects(options.maxRejects, accounts, true);
    await output.finish(commitPoint());
    const checksums = options.checksum
      ? { input: await source.sha256(), output: await output.sha256() }
      : undefined;
    return { accounts, resumedFrom: previous && start.row, checksums };
  } catch (error) {
    end();
    const isMixedUp = error instanceof RowcastError && error.code === 'mixed_up_responses';
    const resumePoint = isMixedUp ? await output.discard().then(() => undefined) : await output.suspend();
    const failure = error instanceof RowcastError && accounts.read > before.read ? error.duringRun() : error;
    const isRefused = failure instanceof RowcastError && failure.consequence === 'refused';
    if (resumePoint !== undefined && (reading.aborted || !isRefused)) observer.onSuspend?.(resumePoint);
    if (reading.aborted) throw new Interrupted(observer.stop);
    throw failure;
  } finally {
    end();
  }
}

/**
 * `send` limits the bytes in flight, so the stream's own buffer needs no limit. (`highWaterMark` would override both.)
 */
const boundedByWindow = { writableHighWaterMark: 1, readableHighWaterMark: Number.MAX_SAFE_INTEGER };
/** Settled batches are no longer counted in the window, so few of them may wait to be written. */
const unbuffered = { writableHighWaterMark: 1, readableHighWaterMark: 1 };

/** The fraction of a run's work before a position: of its row limit or of its input, whichever ends first. */
function fractionBefore({ identity: { size, gzip } }: Source, limit: number | undefined) {
  const isSized = size !== null && size > 0 && !gzip;
  return ({ offset, row }: Position): number | undefined => {
    const ofInput = isSized ? offset / size : 0;
    const ofLimit = limit === undefined ? 0 : (row - 1) / Math.max(1, limit);
    return isSized || limit !== undefined ? Math.max(ofInput, ofLimit) : undefined;
  };
}
