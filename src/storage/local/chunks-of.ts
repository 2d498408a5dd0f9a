import type { Files } from '../durable-files.ts';
import { partLost, type StoredExtent } from '../durable-output.ts';
import { Tail, TailWindow } from '../tail-digest.ts';

/** Bytes that are copied at a time. */
const CHUNK_BYTES = 4 << 20;

/**
 * The bytes of a file from an offset on.
 *
 * @throws RowcastError `part_lost` if there are fewer than were written, or the last ones are others
 */
export async function* chunksOf(
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
