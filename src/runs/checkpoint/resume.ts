import { RowcastError } from '../../errors.ts';
import { CR, LF } from '../../formats/csv/dialect.ts';
import { afterHeader, type Header } from '../../formats/csv/header.ts';
import type { Position } from '../../formats/csv/position.ts';
import type { Head } from '../../formats/csv/read-batches.ts';
import type { Source } from '../../storage/source.ts';
import type { PreviousRun } from '../output/output.ts';
import { PrefixDigest } from './prefix-digest.ts';

/** A source that stands where a run goes on. */
export interface PositionedSource {
  /** What was read beyond that place. */
  rest: Buffer;
  /** Digest of all before it. */
  digest: PrefixDigest;
  start: Position;
  /** The byte before that place. */
  lastByte: number | undefined;
}

/**
 * Brings a source to where a run was previous: a plain file is sought, everything else read and skipped. Either way
 * the bytes before that place must be those that the checkpoint has seen; of a sought file the last block is read
 * again and compared.
 *
 * @throws RowcastError `other_work`; `bad_checkpoint` when that place is not between two records
 */
export async function seekToCheckpoint(
  source: Source,
  { header, rest }: Head,
  previous: PreviousRun | undefined,
): Promise<PositionedSource> {
  if (previous === undefined) {
    const digest = new PrefixDigest();
    digest.update(header.bytes);
    return { rest, digest, start: afterHeader(header), lastByte: header.bytes.at(-1) };
  }
  const { prefix } = previous.checkpoint;
  const isSought = previous.method === 'seek';
  const digest = isSought ? PrefixDigest.resume(prefix) : new PrefixDigest();
  let at = isSought ? PrefixDigest.resumesAt(prefix) : 0;
  if (isSought) source.seek(at);
  let chunk: Buffer = isSought ? Buffer.alloc(0) : Buffer.concat([header.bytes, rest]);
  let lastByte: number | undefined;
  for (;;) {
    const part = chunk.subarray(0, prefix.offset - at);
    digest.update(part);
    at += part.length;
    lastByte = part.at(-1) ?? lastByte;
    chunk = chunk.subarray(part.length);
    if (at === prefix.offset) break;
    const { value, done } = await source.chunks.next();
    if (done) throw otherInput(source, `it ends after ${at} of the ${prefix.offset} bytes that were scored`);
    chunk = value;
  }
  if (digest.state().digest !== prefix.digest)
    throw otherInput(source, `its first ${prefix.offset} bytes are not those that were scored`);
  if (previous.checkpoint.state === 'running' && !endsRecord(lastByte, header))
    throw new RowcastError(
      'bad_checkpoint',
      `the checkpoint's position, ${prefix.offset}, is inside a record`,
      {
        location: { file: source.name, row: previous.checkpoint.position.row },
        hint: 'Give --restart to score from the first row again.',
      },
    );
  return { rest: chunk, digest, start: previous.checkpoint.position, lastByte };
}

/** Only a complete run is committed up to a last record without a line ending. */
const endsRecord = (byte: number | undefined, { dialect }: Header): boolean =>
  byte === LF || (dialect.loneCr && byte === CR);

function otherInput(source: Source, message: string): RowcastError {
  return new RowcastError('other_work', `the input is not that of the unfinished run: ${message}`, {
    location: { file: source.name },
    hint: 'Give the same input again, or --restart to begin anew.',
  });
}
