import { RowcastError } from '../../errors.ts';
import type { Files } from '../../storage/local/durable-files.ts';

/** Bytes that are copied at a time. */
const CHUNK_BYTES = 4 << 20;

/**
 * The bytes of a file from an offset on.
 *
 * @throws RowcastError `part_lost` if there are fewer
 */
export async function* chunksOf(files: Files, path: string, bytes: number, from = 0): AsyncGenerator<Buffer> {
  for (let at = from; at < bytes; ) {
    const chunk = await files.readAt(path, at, Math.min(CHUNK_BYTES, bytes - at));
    if (chunk === undefined || chunk.length === 0)
      throw new RowcastError('part_lost', 'the file was removed or cut while it was being joined', {
        severity: 'stopped',
        location: { file: path },
        hint: 'Run rowcast assemble again: it names what must be scored again.',
      });
    at += chunk.length;
    yield chunk;
  }
}
