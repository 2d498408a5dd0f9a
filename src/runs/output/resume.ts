import { RowcastError } from '../../base/errors.ts';
import { counted, countOf } from '../../base/number-text.ts';
import type { GroupEncoder } from '../../base/text-of-file.ts';
import type { Layout, Opened } from '../../formats/format.ts';
import { type InputRange, isInside, type Position } from '../../formats/records/position.ts';
import type { Source } from '../../storage/source.ts';
import { PrefixDigest } from '../checkpoint/prefix-digest.ts';
import type { PreviousRun } from './output.ts';

/** A source positioned where the run continues. */
interface PositionedSource {
  /** Bytes that were already read after that position. */
  rest: Buffer;
  /** Digest of everything before it. */
  digest: PrefixDigest;
  start: Position;
  /** The byte before that position. */
  lastByte: number | undefined;
}

/**
 * Moves a source to the position of the checkpoint: seeks in a plain file, reads and skips anything else. Either way
 * the bytes before that position must be those that were scored; after a seek, only the last block is read again and
 * compared.
 *
 * @param range the part of the input that the run reads, if not all of it; its digest begins there
 * @throws RowcastError `other_work`; `bad_checkpoint` if that position is not between two records
 */
export async function seekToCheckpoint(
  source: Source,
  { layout, rest }: Opened,
  previous: PreviousRun | undefined,
  range: InputRange = layout,
): Promise<PositionedSource> {
  const isPart = isInside(range, layout);
  if (previous === undefined && isPart) return seekToRange(source, range, layout);
  if (previous === undefined) {
    const digest = new PrefixDigest();
    const { preamble, start } = layout;
    digest.update(preamble);
    return { rest, digest, start, lastByte: preamble.at(-1) };
  }
  const { prefix } = previous.checkpoint;
  const base = isPart ? range.start.offset : 0;
  const end = base + prefix.offset;
  const isSought = previous.method === 'seek';
  const digest = isSought ? PrefixDigest.resume(prefix) : new PrefixDigest();
  let at = base + (isSought ? PrefixDigest.resumesAt(prefix) : 0);
  const isMoved = isSought || isPart;
  if (isMoved) source.seek(at, previous.checkpoint.entry);
  let chunk: Buffer = isMoved ? Buffer.alloc(0) : Buffer.concat([layout.preamble, rest]);
  let lastByte: number | undefined;
  for (;;) {
    const part = chunk.subarray(0, end - at);
    digest.update(part);
    at += part.length;
    lastByte = part.at(-1) ?? lastByte;
    chunk = chunk.subarray(part.length);
    if (at === end) break;
    const { value, done } = await source.chunks.next();
    if (done)
      throw otherInput(
        source,
        `it ends after ${counted(at)} of the ${countOf(end, 'byte')} that were scored`,
      );
    chunk = value;
  }
  if (digest.state().digest !== prefix.digest)
    throw otherInput(source, `its first ${countOf(end, 'byte')} are not those that were scored`);
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

/**
 * Compares what was copied to the output, and is not in the text that is read, with the input: all of it, or after a
 * seek only that of the last group.
 *
 * @throws RowcastError `other_work`; `unreadable_input`
 */
export async function checkCopied(
  source: Pick<Source, 'name' | 'isLive'>,
  encoder: GroupEncoder | undefined,
  { checkpoint, method }: PreviousRun,
): Promise<void> {
  const { notes = [] } = checkpoint.output;
  const first = method === 'seek' ? Math.max(0, notes.length - 1) : 0;
  const hasCopied = (await encoder?.hasCopied?.(notes, first)) ?? true;
  if (!hasCopied) throw otherInput(source, 'its columns are not those that were copied');
}

/** Moves a source to the start of a range, and checks that it is between two records. */
async function seekToRange(source: Source, { start }: InputRange, layout: Layout): Promise<PositionedSource> {
  source.seek(start.offset - 1);
  let chunk: Buffer = Buffer.alloc(0);
  while (chunk.length === 0) {
    const { value, done } = await source.chunks.next();
    if (done) throw otherInput(source, `it has fewer than ${countOf(start.offset, 'byte')}`);
    chunk = value;
  }
  const lastByte = chunk[0];
  if (!layout.endsRecord(lastByte)) throw otherInput(source, `no record begins at byte ${start.offset}`);
  return { rest: chunk.subarray(1), digest: new PrefixDigest(), start, lastByte };
}

function otherInput({ name, isLive }: Pick<Source, 'name' | 'isLive'>, message: string): RowcastError {
  const restart = isLive
    ? 'use --restart, which discards that run: a pipe cannot be read again'
    : 'use --restart-if-changed, which keeps that run until this one finishes, or --restart, which discards it';
  return new RowcastError('other_work', `the input is not the one that the unfinished run read: ${message}`, {
    location: { file: name },
    hint: `Use the same input to resume. Or score from the first row: ${restart}.`,
  });
}
