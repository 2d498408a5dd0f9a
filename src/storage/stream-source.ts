import type { Readable } from 'node:stream';
import { DecodedSource } from './decoded-source.ts';
import type { Source } from './source.ts';
import { streamInput } from './stream-input.ts';

/**
 * A stream as a source, compressed or not; it is read as it arrives, and only once.
 *
 * @param name for messages; the dialect may follow from its suffix
 * @param maxWindowBytes as of `Codec.decompress`
 */
export function streamSource(name: string, stream: Readable, maxWindowBytes?: number): Source {
  return new DecodedSource(streamInput(name, name, stream), false, { maxWindowBytes });
}
