import { RowcastError } from '../../errors.ts';
import type { Files } from '../../storage/local/durable-files.ts';
import { readTail, Tail } from '../../storage/local/tail-digest.ts';

/** The part of a file that a checkpoint guarantees. */
export interface CommittedExtent {
  bytes: number;
  /** SHA-256 of the end of those bytes (see `Tail`), hex. */
  tail: string;
}

/**
 * Checks that a file still has all committed bytes, and that their tail is unchanged.
 *
 * @returns the tail
 * @throws RowcastError `partial_too_short`, `partial_damaged`
 */
export async function verifyCommitted(
  files: Files,
  path: string,
  { bytes, tail }: CommittedExtent,
): Promise<Tail> {
  if (bytes === 0) return Tail.empty;
  const size = (await files.size(path)) ?? 0;
  if (size < bytes)
    throw new RowcastError(
      'partial_too_short',
      `the file has ${size} bytes, but its checkpoint requires ${bytes}`,
      {
        location: { file: path },
        hint: 'It was modified since: use --restart to start over.',
      },
    );
  const found = await readTail(files, path, bytes);
  if (found?.digest() === tail) return found;
  throw new RowcastError(
    'partial_damaged',
    `the bytes before offset ${bytes} are not those that were written`,
    {
      location: { file: path },
      hint: 'The file was modified, or the disk lost data: use --restart to start over.',
    },
  );
}
