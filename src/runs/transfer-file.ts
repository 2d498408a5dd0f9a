import { extname } from 'node:path';
import type { UploadFormat } from '../base/contract/file-formats.ts';
import type { ScoredUpload, UploadRowCounts } from '../base/contract/row-counts-trailer.ts';
import { RowcastError } from '../base/errors.ts';
import { Interrupted, unlessStopped } from '../base/interrupted.ts';
import type { Format } from '../formats/format.ts';
import { recognizeInput } from '../formats/formats.ts';
import type { ByteSource } from '../formats/records/byte-source.ts';
import { checkBalance } from '../scoring/row-counts.ts';
import { openSource } from '../storage/backends.ts';
import type { Sink, Target, UsedFile } from '../storage/target.ts';
import { writtenFile } from './output/written-file.ts';
import { type LockedOutput, lockOutput } from './paths/lock-paths.ts';

interface BatchPredictOptions {
  /** A path or `-` for stdin. */
  input: string;
  /** A path or `-` for stdout. */
  output: string;
  report: string;
  /** The format of the input; by default that of its name, else of its first bytes. */
  inputFormat?: string | undefined;
  /** Other files that the command reads. */
  reads?: readonly UsedFile[];
}

/** What scores a whole file: a client, or local reports. */
export interface UploadService {
  /** @param file with its name, for messages */
  batchPredict(
    report: string,
    file: { bytes: AsyncIterable<Buffer>; format: UploadFormat; name: string },
    signal: AbortSignal | undefined,
  ): Promise<ScoredUpload>;
}

/** Bytes transferred so far. */
export interface Transfer {
  sent: number;
  received: number;
}

/** Callback of an upload, and the signal that stops it. */
interface TransferObserver {
  /** @param fraction how much of the input was sent, 0 to 1, if known */
  onProgress?: (transfer: Transfer, fraction: number | undefined) => void;
  /** Stops the upload at once. */
  stop?: AbortSignal;
}

/**
 * Scores a whole file in one request: source ─bytes→ service ─bytes→ sink. It cannot be resumed; OUTPUT appears once
 * its last byte and the row counts were received.
 *
 * @throws RowcastError; nothing of the output is kept
 * @throws Interrupted if it was stopped by its signal
 * @throws ClosedPipe if the reader of stdout closed its end
 */
export async function transferFile(
  options: BatchPredictOptions,
  service: UploadService,
  observer: TransferObserver = {},
): Promise<UploadRowCounts> {
  const { input, output, report } = options;
  const source = await openSource(input);
  const ended = new AbortController();
  const transfer: Transfer = { sent: 0, received: 0 };
  let inputFailure: unknown;
  let locked: LockedOutput | undefined;
  let sink: Sink | undefined;
  try {
    const { format: found, bytes: read } = await recognizeInput(source, options);
    const format = uploadFormatOf(found, { input: source.name, output });
    const bytes = countSent(read, transfer, failure => {
      inputFailure = failure;
    });
    locked = await lockOutput(output, input, { reads: options.reads });
    await refuseUnfinished(locked.target, output);
    const stop = AbortSignal.any([ended.signal, ...(observer.stop === undefined ? [] : [observer.stop])]);
    // A read that waits for input would never end.
    stop.addEventListener('abort', () => source.close(), { once: true });
    const { chunks, rowCounts } = await service.batchPredict(
      report,
      { bytes, format, name: source.name },
      stop,
    );
    sink = await locked.target.open(observer.stop);
    const size = source.isLive ? null : (await source.identify()).contentSize;
    for await (const chunk of chunks) {
      // A stalled reader must not prevent the run from stopping.
      await unlessStopped(sink.write(chunk), observer.stop);
      transfer.received += chunk.length;
      observer.onProgress?.(transfer, fractionSent(size, transfer));
    }
    // What was read so far may have come to its end.
    if (observer.stop?.aborted) throw new Interrupted(observer.stop);
    const rows = rowCounts();
    checkBalance(rows);
    await source.checkUnchanged();
    await sink.close();
    sink = undefined;
    return rows;
  } catch (error) {
    if (observer.stop?.aborted) throw new Interrupted(observer.stop);
    // If the input failed, the request failed because of that, with a less specific error.
    const failure = inputFailure ?? error;
    throw sink !== undefined && failure instanceof RowcastError ? failure.duringRun() : failure;
  } finally {
    ended.abort();
    source.close();
    await sink?.abandon();
    await locked?.release();
  }
}

/** @param onFailure called if reading the input fails */
async function* countSent(
  source: Pick<ByteSource, 'chunks'>,
  transfer: Transfer,
  onFailure: (failure: unknown) => void,
): AsyncGenerator<Buffer> {
  try {
    for (;;) {
      const { value, done } = await source.chunks.next();
      if (done) return;
      transfer.sent += value.length;
      if (value.length > 0) yield Buffer.from(value); // the request keeps it until it is sent
    }
  } catch (failure) {
    onFailure(failure);
    throw failure;
  }
}

/** @throws RowcastError `needs_file`, `wrong_suffix` */
function uploadFormatOf(
  { name }: Format,
  { input, output }: { input: string; output: string },
): UploadFormat {
  if (name === 'parquet')
    throw new RowcastError('needs_file', 'the file is sent as a stream, but Parquet is read from its end', {
      location: { file: input },
      hint: 'Use rowcast score FILE -o OUTPUT, which reads and writes Parquet.',
    });
  const format = name === 'jsonl' ? 'jsonl' : 'csv';
  const written = writtenFile({ output, hasFormatOption: false });
  if (written.format !== undefined && written.format !== format)
    throw new RowcastError(
      'wrong_suffix',
      `the output is called ${extname(written.name)}, but would be ${format === 'csv' ? 'CSV' : 'JSON lines'} like the input`,
      {
        location: { file: output },
        hint: `Give the output another name, such as .${format}, or use rowcast score FILE -o OUTPUT, which converts.`,
      },
    );
  return format;
}

/** @throws RowcastError `other_work` if `score` has an unfinished run with the same output */
async function refuseUnfinished(target: Target, output: string): Promise<void> {
  const isUnfinished = await target.durable?.checkpoint.read().then(
    bytes => bytes !== undefined,
    () => true, // it is there, whatever it says
  );
  if (!isUnfinished) return;
  throw new RowcastError('other_work', 'the output has an unfinished run of `rowcast score`', {
    location: { file: output },
    hint: 'Rerun that command to resume it, or give -o another path.',
  });
}

/** @param size of the uncompressed input; null if not known */
const fractionSent = (size: number | null, { sent }: Transfer): number | undefined =>
  size === null || size === 0 ? undefined : sent / size;
