import { stat } from 'node:fs/promises';
import type { Client } from '../client/client.ts';
import type { UploadAccounts } from '../contract/accounts-trailer.ts';
import { RowcastError } from '../errors.ts';
import { checkBalance } from '../runs/accounts.ts';
import { type LockedOutput, lockOutput } from '../runs/paths/lock-paths.ts';
import { runFilesOf } from '../runs/paths/run-files.ts';
import type { UsedFile } from '../storage/local/distinct-files.ts';
import { openSink, type Sink } from '../storage/sink.ts';
import { openSource, type Source } from '../storage/source.ts';
import type { Target } from '../storage/target.ts';
import { Interrupted, unlessStopped } from './observer.ts';

export interface BatchPredictOptions {
  /** A path, or `-` for stdin. */
  input: string;
  /** A path, or `-` for stdout. */
  output: string;
  /** The report's id. */
  report: string;
  /** Other files that the command reads. */
  reads?: readonly UsedFile[];
}

/** Bytes that went and came so far. */
export interface Transfer {
  sent: number;
  received: number;
}

/** Who looks on while a file is scored by the service; all of it may be left out. */
export interface TransferObserver {
  /** @param fraction how much of the input was sent, 0 to 1, where it is known */
  onProgress?: (transfer: Transfer, fraction: number | undefined) => void;
  /** Aborted, with a reason, to stop at once. */
  stop?: AbortSignal;
}

/**
 * Has a whole CSV scored by the service, in one request: source ─bytes→ service ─bytes→ sink. What was begun cannot
 * be gone on with; OUTPUT appears when its last byte and the accounts of its rows have come.
 *
 * @throws RowcastError, of which nothing is kept
 * @throws Interrupted when it was told to stop
 * @throws ClosedPipe when the reader of stdout has gone
 */
export async function batchPredict(
  options: BatchPredictOptions,
  client: Client,
  observer: TransferObserver = {},
): Promise<UploadAccounts> {
  const { input, output, report } = options;
  const source = await openSource(input);
  const ended = new AbortController();
  const transfer: Transfer = { sent: 0, received: 0 };
  let inputFailure: unknown;
  const upload = countSent(source, transfer, failure => {
    inputFailure = failure;
  });
  let locked: LockedOutput | undefined;
  let sink: Sink | undefined;
  try {
    locked = await lockOutput(output, input, options.reads);
    await refuseUnfinished(locked.target, output);
    const stop = AbortSignal.any([ended.signal, ...(observer.stop === undefined ? [] : [observer.stop])]);
    const { chunks, accounts } = await client.batchPredict(report, upload, stop);
    sink = await openSink(locked.target, output, observer.stop);
    for await (const chunk of chunks) {
      // A reader who has stopped reading must not keep a run that was told to stop.
      await unlessStopped(sink.write(chunk), observer.stop);
      transfer.received += chunk.length;
      observer.onProgress?.(transfer, fractionSent(source, transfer));
    }
    const rows = accounts();
    checkBalance(rows);
    await source.checkUnchanged();
    await sink.close();
    sink = undefined;
    return rows;
  } catch (error) {
    if (observer.stop?.aborted) throw new Interrupted(observer.stop);
    // The call breaks off for it, and says less.
    const failure = inputFailure ?? error;
    throw sink !== undefined && failure instanceof RowcastError ? failure.duringRun() : failure;
  } finally {
    ended.abort();
    source.close();
    await sink?.abandon();
    await locked?.release();
  }
}

/** @param onFailure told what is wrong with the input */
async function* countSent(
  source: Source,
  transfer: Transfer,
  onFailure: (failure: unknown) => void,
): AsyncGenerator<Buffer> {
  try {
    for (;;) {
      const { value, done } = await source.chunks.next();
      if (done) return;
      transfer.sent += value.length;
      if (value.length > 0) yield value;
    }
  } catch (failure) {
    onFailure(failure);
    throw failure;
  }
}

/** @throws RowcastError `other_work` where an unfinished run of score has kept its rows under the same name */
async function refuseUnfinished(target: Target, output: string): Promise<void> {
  if (target.kind !== 'file') return;
  const { checkpoint } = runFilesOf(target.path);
  if ((await stat(checkpoint).catch(() => undefined)) === undefined) return;
  throw new RowcastError('other_work', 'there is an unfinished run of score', {
    location: { file: output },
    hint: 'Its command resumes it; or give another -o.',
  });
}

function fractionSent({ identity: { size, gzip } }: Source, { sent }: Transfer): number | undefined {
  return size === null || size === 0 || gzip ? undefined : sent / size;
}
