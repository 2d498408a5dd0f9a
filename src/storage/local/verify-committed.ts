import { RowcastError } from '../../base/errors.ts';
import { counted, countOf } from '../../base/number-text.ts';
import type { Files } from '../durable-files.ts';
import type { StoredExtent } from '../durable-output.ts';
import { readTail, Tail } from '../tail-digest.ts';

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
