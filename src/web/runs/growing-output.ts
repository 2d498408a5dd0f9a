import { type FileHandle, open, stat } from 'node:fs/promises';
import { isMissing } from '../../storage/local/missing.ts';
import { CHUNK_BYTES } from '../../storage/source.ts';
import type { Watched } from '../events/watched.ts';
import type { StoredProgress } from './stored-run.ts';

/** How often to look for more bytes, in milliseconds, should a change have gone unnoticed. */
const LOOK_MS = 1_000;

/**
 * The bytes of an output while it is written, up to its end.
 *
 * @param paths where it is: the unfinished file, then the finished one
 * @throws Error if the run fails, so that what was read is not mistaken for the whole
 */
export async function* growingOutput(
  { partial, output }: { partial: string; output: string },
  run: Watched<StoredProgress>,
  gone: AbortSignal,
): AsyncGenerator<Buffer> {
  let file: FileHandle | undefined;
  let position = 0;
  try {
    while (!gone.aborted) {
      // Before reading: what is written after that is read in the next round.
      const { version, isFinal, value } = run;
      if (isFinal && value.status !== 'finished') throw new Error('the run has failed');
      file ??= await openFirst(partial, output);
      const bytes = Buffer.allocUnsafe(CHUNK_BYTES);
      const { bytesRead } = (await file?.read(bytes, 0, bytes.length, position)) ?? { bytesRead: 0 };
      position += bytesRead;
      if (bytesRead > 0) yield bytes.subarray(0, bytesRead);
      else if (isFinal) {
        if (position !== (await stat(output)).size)
          throw new Error('the output is not as long as it was written');
        return;
      } else await run.changed(version, LOOK_MS, gone);
    }
  } finally {
    await file?.close();
  }
}

async function openFirst(...paths: readonly string[]): Promise<FileHandle | undefined> {
  for (const path of paths) {
    const file = await open(path).catch(cause => {
      if (isMissing(cause)) return undefined;
      throw cause;
    });
    if (file !== undefined) return file;
  }
  return undefined;
}
