import { RowcastError } from '../../base/errors.ts';
import { counted, countOf } from '../../base/number-text.ts';
import { readTail, Tail, TailWindow } from '../digests.ts';
import type { Files } from '../durable-files.ts';
import { partLost, type StoredExtent } from '../durable-output.ts';

/**
 * Checks that a file still has all committed bytes, and that their tail is unchanged.
 *
 * @returns the tail
 * @throws RowcastError `partial_too_short`, `partial_damaged`
 */
export async function verifyCommitted(
  files: Files,
  path: string,
  { bytes, tail }: StoredExtent,
): Promise<Tail> {
  if (bytes === 0) return Tail.empty;
  const found = await readTail(files, path, bytes);
  if (found === undefined) throw tooShort(path, bytes, await files.size(path));
  if (found.digest() === tail) return found;
  throw new RowcastError(
    'partial_damaged',
    `the bytes before offset ${bytes} are not those that were written`,
    {
      location: { file: path },
      hint: 'The file was modified, or the disk lost data: use --restart to start over.',
    },
  );
}

/** @param size undefined if there is no file */
const tooShort = (path: string, bytes: number, size: number | undefined): RowcastError =>
  new RowcastError(
    'partial_too_short',
    size === undefined
      ? `the file is gone; ${countOf(bytes, 'byte')} had been written to it`
      : `the file has ${counted(size)} of the ${countOf(bytes, 'byte')} that were written to it`,
    {
      location: { file: path },
      hint: 'Another program modified it: use --restart to start over.',
    },
  );

/**
 * Checks that a file is as it was written, from its first byte to its last.
 *
 * @param name for messages
 * @throws RowcastError `output_lost`, `partial_damaged`
 */
export async function verifyWhole(
  files: Files,
  path: string,
  written: StoredExtent,
  name = path,
): Promise<void> {
  if (written.bytes === 0) return;
  const size = await files.size(path);
  if (size !== written.bytes)
    throw new RowcastError(
      'output_lost',
      `the file had ${written.bytes} bytes, now it ${size === undefined ? 'is gone' : `has ${size}`}`,
      {
        location: { file: name },
        hint: 'Another program moved or modified it: use --restart to start over.',
      },
    );
  await verifyCommitted(files, path, written);
}

/** Bytes that are copied at a time. */
const CHUNK_BYTES = 4 << 20;

/**
 * The bytes of a file from an offset on.
 *
 * @throws RowcastError `part_lost` if there are fewer than were written, or the last ones are others
 */
export async function* storedChunks(
  files: Files,
  path: string,
  { bytes, tail }: StoredExtent,
  from = 0,
): AsyncGenerator<Buffer> {
  const window = new TailWindow(Tail.empty);
  for (let at = 0; at < bytes; ) {
    const chunk = await files.readAt(path, at, Math.min(CHUNK_BYTES, bytes - at));
    if (chunk === undefined || chunk.length === 0) throw partLost(path);
    window.append(chunk);
    const wanted = chunk.subarray(Math.max(0, from - at));
    at += chunk.length;
    if (wanted.length > 0) yield wanted;
  }
  if (bytes > 0 && window.tail.digest() !== tail) throw partLost(path);
}
