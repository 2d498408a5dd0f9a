import { lstat, open } from 'node:fs/promises';
import { RowcastError } from '../../errors.ts';
import { rejectColumns } from '../../formats/csv/reject-columns.ts';
import { diskFiles } from '../../storage/local/durable-files.ts';
import { unwritable } from '../../storage/target.ts';

/** A file that a command is about to make. */
export interface TemporaryFile {
  path: string;
  /** Whether a process that died had held the lock of the output that it belongs to. */
  isStale: boolean;
}

/**
 * Makes sure that nothing is where a command will make its temporary files: what a killed command left there is
 * removed, anything else is refused, since it would be overwritten.
 *
 * @throws RowcastError `foreign_file`, `unwritable_output`
 */
export async function clearLeftovers(temporaries: readonly TemporaryFile[]): Promise<void> {
  for (const { path, isStale: isOfDead } of temporaries)
    if (isOfDead)
      await diskFiles.remove(path).catch(cause => {
        throw unwritable(path, cause);
      });
  for (const { path } of temporaries)
    if (await exists(path)) throw foreign(path, 'a file that no unfinished run left is in the way');
}

/**
 * A file in the default place of the rejects is replaced or removed only if it holds rejects.
 *
 * @throws RowcastError `foreign_file`
 */
export async function checkDefaultRejects(path: string): Promise<void> {
  if ((await exists(path)) && !(await isRejectsFile(path)))
    throw foreign(path, 'a file that does not hold rejects is in the way', ', or give --rejects FILE');
}

/** A byte order mark may come before the columns, and any delimiter between them. */
const HEADER = new RegExp(`^\\ufeff?"?${rejectColumns.join('"?[^\\w"]"?')}\\b`);
const HEAD_BYTES = 256;

/** Whether a file begins with the columns of a rejects file. */
export async function isRejectsFile(path: string): Promise<boolean> {
  const file = await open(path, 'r').catch(() => undefined); // nothing says that it holds any
  try {
    const head = await file?.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    return head !== undefined && HEADER.test(head.buffer.toString('utf8', 0, head.bytesRead));
  } catch {
    return false; // a folder
  } finally {
    await file?.close();
  }
}

/** A link to nothing counts: it would be written through. */
const exists = async (path: string): Promise<boolean> =>
  (await lstat(path).catch(() => undefined)) !== undefined;

function foreign(file: string, message: string, more = ''): RowcastError {
  return new RowcastError('foreign_file', message, {
    location: { file },
    hint: `Move it away${more}.`,
  });
}
