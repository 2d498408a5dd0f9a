import { Readable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { asStream, chain, flushable, gen } from 'stream-chain';
import type { Client } from '../api/client.ts';
import { longFieldOfHeader } from '../csv/long-field.ts';
import type { Position } from '../csv/position.ts';
import { RecordReader } from '../csv/records.ts';
import { RowcastError } from '../errors.ts';
import type { Files } from '../io/files.ts';
import { openSource, type Source } from '../io/source.ts';
import { type Accounts, accountsOf, checkBalance, count, countCalls } from './accounts.ts';
import { batchLimits } from './batch-limits.ts';
import { Bodies } from './bodies.ts';
import { caller } from './call.ts';
import { claimOutput } from './claim.ts';
import { chooseColumns } from './columns.ts';
import { encode, rowOverhead } from './encode.ts';
import { fingerprintOf } from './fingerprint.ts';
import { type HeldPlaces, takePlaces } from './hold-places.ts';
import { type Answered, inFlight } from './in-flight.ts';
import { Merger } from './merge.ts';
import type { ScoreOptions } from './options.ts';
import type { Boundary, Claim } from './output.ts';
import { readBatches, readHead } from './read.ts';
import { rejectsHeaderText, rejectsText } from './rejects.ts';
import { reach } from './resume.ts';
import { checkRejects } from './share.ts';
import type { Checksums } from './summary.ts';
import { trusted } from './trusted.ts';
import { Interrupted, stopping, unlessStopped, type Watch } from './watch.ts';

/**
 * Most bytes in flight, the bodies of calls under way included: enough for one call in a hundred to take twenty times
 * as long as the others without holding them up (test/bench/RESULTS.md).
 */
export const WINDOW_BYTES = 32 << 20;

/** What a run has come to. */
export interface Scored {
  accounts: Accounts;
  /** The row that an unfinished run was taken up with. */
  resumedFrom: number | undefined;
  checksums: Checksums | undefined;
}

/**
 * Scores a CSV: every row comes back, in input order, with its predicted probabilities.
 *
 * @param client the service; it stays open
 * @param files how the output's files are written
 * @returns undefined when OUTPUT was there and was left alone
 * @throws RowcastError with its place in the input; OUTPUT is then as it was, and the same command goes on
 * @throws Interrupted when the run was told to stop
 * @throws ClosedPipe when the reader of stdout has gone
 */
export async function score(
  options: ScoreOptions,
  client: Client,
  watch: Watch = {},
  files?: Files,
): Promise<Scored | undefined> {
  const held = await takePlaces(options);
  try {
    return await scoreTo(held, options, client, watch, files);
  } finally {
    await held.release();
  }
}

/** The same to places that are held already, and remain so. */
export async function scoreTo(
  held: HeldPlaces,
  options: ScoreOptions,
  client: Client,
  watch: Watch = {},
  files?: Files,
): Promise<Scored | undefined> {
  const source = await openSource(options.input, options.checksum);
  try {
    const claim = await claimOutput(options, { held, inputMode: source.mode, stop: watch.stop, files });
    return claim && (await run(options, client, watch, source, claim, held));
  } finally {
    source.close();
  }
}

/** source ─bytes→ records ─batches→ in flight (encode, call, retry) ─answers→ merge ─bytes→ output */
async function run(
  options: ScoreOptions,
  client: Client,
  watch: Watch,
  source: Source,
  claim: Claim,
  { rejectsPlace: rejects }: HeldPlaces,
): Promise<Scored> {
  // What can be wrong with the command is found before anything is written.
  const report = await unlessStopped(client.report(options.report), watch.stop);
  const head = await unlessStopped(readHead(source, options), watch.stop);
  const { header } = head;
  const sent = chooseColumns(header, report, options, source.name);
  const merger = new Merger({ ...options, header, report });
  const { dialect } = header;
  const service = client.name;
  const fingerprint = fingerprintOf({ source, service, report, rejects, options, dialect });

  const beginning = { fingerprint, rejectsHeader: rejectsHeaderText(header) };
  const output = await claim.begin(beginning).catch(error => {
    throw watch.stop?.aborted ? new Interrupted(watch.stop) : error;
  });
  const { left } = output;
  const before = accountsOf(left?.checkpoint);
  const accounts = structuredClone(before);
  const { reading, calling, end } = stopping(watch.stop, () => source.close());
  try {
    const { rest, digest, start, lastByte } = await reach(source, head, left);
    if (left !== undefined) {
      merger.resume(left.checkpoint.classes, lastByte);
      watch.onResume?.({ row: start.row, accounts: before });
    }
    const shareOf = shareBefore(source, options.limit);
    const kept = () => output.kept;
    const done = { scored: before.scored, share: shareOf(start) };

    const input = { file: source.name, width: header.names.length, dialect: header.dialect };
    const longName = longFieldOfHeader(header);
    if (longName !== undefined) watch.onLongField?.(longName);
    const overhead = rowOverhead(sent, client.wire);
    const limits = batchLimits(options.batchBytes, overhead);
    const records = new RecordReader({
      ...options,
      ...input,
      batchBytes: limits.ofRecords,
      rowOverhead: overhead,
      start,
      onLongField: longName === undefined ? watch.onLongField : undefined,
    });
    const bodies = new Bodies();
    const toBody = encode({
      ...options,
      ...input,
      bodies,
      batchBytes: limits.ofBody,
      sent,
      wire: client.wire,
    });
    const call = caller({
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
      release: body => bodies.release(body),
    });
    const trust = trusted({ toBody, call, check: () => client.checkWritten() });
    const merge = flushable((answered: Answered) => merger.merge(answered), merger.end.bind(merger));

    let inputFailure: unknown;
    const batches = readBatches({ records, rest, source, stop: reading }, failure => {
      inputFailure = failure;
    });
    const flow = chain(
      [
        Readable.from(batches, { highWaterMark: 1 }),
        asStream(gen(toBody, send), boundedByWindow),
        asStream(gen(settle, trust, merge), unbuffered),
      ],
      unbuffered,
    );
    let position = start;
    const reached = (): Boundary => ({
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
      // A reader who has stopped reading must not keep a run that was told to stop.
      await unlessStopped(output.write(piece, reached), calling);
      for (const reject of rejects) watch.onReject?.(reject);
      records.release(position.offset);
      checkRejects(options.maxRejects, accounts, false);
      watch.onProgress?.({ accounts, share: shareOf(position), before: done, kept });
    }
    if (inputFailure !== undefined) throw inputFailure;
    if (reading.aborted) throw new Interrupted(watch.stop);
    await client.checkAllWritten(options.report);
    await source.checkUnchanged();
    // Ctrl-C ends a producer too, in the middle of a record, which then looks like the last one. A signal that came with
    // the last response is delivered after it, and one may have come meanwhile.
    await turn();
    if (reading.aborted) throw new Interrupted(watch.stop);
    checkBalance(accounts);
    checkRejects(options.maxRejects, accounts, true);
    await output.finish(reached());
    const checksums = options.checksum
      ? { input: await source.sha256(), output: await output.sha256() }
      : undefined;
    return { accounts, resumedFrom: left && start.row, checksums };
  } catch (error) {
    end();
    const isMixedUp = error instanceof RowcastError && error.code === 'mixed_up_responses';
    const kept = isMixedUp ? await output.discard().then(() => undefined) : await output.suspend();
    const failure = error instanceof RowcastError && accounts.read > before.read ? error.duringRun() : error;
    const isRefused = failure instanceof RowcastError && failure.consequence === 'refused';
    if (kept !== undefined && (reading.aborted || !isRefused)) watch.onKept?.(kept);
    if (reading.aborted) throw new Interrupted(watch.stop);
    throw failure;
  } finally {
    end();
  }
}

/**
 * What is in flight is bounded in bytes by `send`, so the stream that it waits in needs no bound of its own.
 * (`highWaterMark` would overrule both.)
 */
const boundedByWindow = { writableHighWaterMark: 1, readableHighWaterMark: Number.MAX_SAFE_INTEGER };
/** What is settled has left the window, so hardly any of it may wait to be written. */
const unbuffered = { writableHighWaterMark: 1, readableHighWaterMark: 1 };

/** How much of a run's work lies before a position: of its limit of rows or of its input, whichever ends first. */
function shareBefore({ identity: { size, gzip } }: Source, limit: number | undefined) {
  const isSized = size !== null && size > 0 && !gzip;
  return ({ offset, row }: Position): number | undefined => {
    const ofInput = isSized ? offset / size : 0;
    const ofLimit = limit === undefined ? 0 : (row - 1) / Math.max(1, limit);
    return isSized || limit !== undefined ? Math.max(ofInput, ofLimit) : undefined;
  };
}
