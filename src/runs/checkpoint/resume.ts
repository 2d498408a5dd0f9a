import { RowcastError } from '../../errors.ts';
import type { Position } from '../../formats/csv/position.ts';
import type { Opened } from '../../formats/format.ts';
import type { Source } from '../../storage/source.ts';
import type { PreviousRun } from '../output/output.ts';
import { PrefixDigest } from './prefix-digest.ts';

/** A source positioned where the run continues. */
export interface PositionedSource {
  /** Bytes that were already read after that position. */
  rest: Buffer;
  /** Digest of everything before it. */
  digest: PrefixDigest;
  start: Position;
  /** The byte before that position. */
  lastByte: number | undefined;
}

/**
 * Moves a source to the position of the checkpoint: seeks in a plain file, reads and skips anything else. Either way the
 * bytes before that position must be those that were scored; after a seek, only the last block is read again and compared.
 *
 * @throws RowcastError `other_work`; `bad_checkpoint` if that position is not between two records
 */
export async function seekToCheckpoint(
  source: Source,
  { layout, rest }: Opened,
  previous: PreviousRun | undefined,
): Promise<PositionedSource> {
  if (previous === undefined) {
    const digest = new PrefixDigest();
    const { preamble, start } = layout;
    digest.update(preamble);
    return { rest, digest, start, lastByte: preamble.at(-1) };
  }
  const { prefix } = previous.checkpoint;
  const isSought = previous.method === 'seek';
  const digest = isSought ? PrefixDigest.resume(prefix) : new PrefixDigest();
  let at = isSought ? PrefixDigest.resumesAt(prefix) : 0;
  if (isSought) source.seek(at);
  let chunk: Buffer = isSought ? Buffer.alloc(0) : Buffer.concat([layout.preamble, rest]);
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
  // Only the checkpoint of a complete run may follow a last record without a line ending.
  if (previous.checkpoint.state === 'running' && !layout.endsRecord(lastByte))
    throw new RowcastError(
      'bad_checkpoint',
      `the checkpoint's position, ${prefix.offset}, is inside a record`,
      {
        location: { file: source.name, row: previous.checkpoint.position.row },
        hint: 'Use --restart to start from the first row.',
      },
    );
  return { rest: chunk, digest, start: previous.checkpoint.position, lastByte };
}

function otherInput(source: Source, message: string): RowcastError {
  return new RowcastError('other_work', `the input is not the one that the unfinished run read: ${message}`, {
    location: { file: source.name },
    hint: 'Use the same input to resume, or --restart to start over.',
  });
}
