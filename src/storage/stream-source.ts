import type { Readable } from 'node:stream';
import { DecodedSource } from './decoded-source.ts';
import type { Source } from './source.ts';

/**
 * A stream as a source, compressed or not; it is read as it arrives, and only once.
 *
 * @param name for messages; the dialect may follow from its suffix
 */
export function streamSource(name: string, stream: Readable): Source {
  const stored = {
    name,
    path: name,
    version: { size: null, modified: null },
    stream,
    streamFrom: undefined,
    checkUnchanged: async () => {},
  };
  return new DecodedSource(stored, false);
}
