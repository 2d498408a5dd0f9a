import type { Readable } from 'node:stream';
import type { StoredInput } from './source.ts';

/** What is read as it arrives, and only once: a pipe, a socket, a device. */
export const streamInput = (name: string, path: string, stream: Readable): StoredInput => ({
  name,
  path,
  version: { size: null, modified: null },
  // Errors before the first read are reported to the reader. Without a listener, they would end the process.
  stream: stream.on('error', () => {}),
  streamFrom: undefined,
  checkUnchanged: async () => {},
});
