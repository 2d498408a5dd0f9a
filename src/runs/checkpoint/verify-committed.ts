import { RowcastError } from '../../errors.ts';
import type { Files } from '../../storage/local/durable-files.ts';
import { readTail, Tail } from '../../storage/local/tail-digest.ts';

/** What a checkpoint says of a file's first bytes. */
export interface CommittedExtent {
  bytes: number;
  /** SHA-256 of their end (`Tail`), hex. */
  tail: string;
}

/**
 * Checks that a file still holds what was written to it: all the bytes, with the end that they had.
 *
 * @returns their end
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
    throw new RowcastError('partial_too_short', `it holds ${size} bytes, but its checkpoint needs ${bytes}`, {
      location: { file: path },
      hint: 'It was changed since: give --restart to begin anew.',
    });
  const found = await readTail(files, path, bytes);
  if (found?.digest() === tail) return found;
  throw new RowcastError('partial_damaged', `its bytes before ${bytes} are not those that were written`, {
    location: { file: path },
    hint: 'It was changed, or its disk has lost them: give --restart to begin anew.',
  });
}
