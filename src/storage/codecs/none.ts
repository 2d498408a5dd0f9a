import type { WritableFile } from '../local/durable-files.ts';
import type { Extent, PartialFile } from '../local/partial-file.ts';
import type { Codec } from './codec.ts';

/** Files without compression. */
export const none: Codec = {
  name: 'none',
  suffix: '',
  magic: Buffer.alloc(0),
  decompress: chunks => chunks,
  partialFile: plainPartial,
  compressNow: bytes => bytes,
};

/** A plain file: it can be truncated after any record. */
function plainPartial<Mark>(file: WritableFile, from: Extent<Mark>): PartialFile<Mark> {
  let { bytes: size, tail } = from;
  let committed = from;
  return {
    get committed() {
      return committed;
    },
    async append({ bytes, mark }) {
      if (bytes.length > 0) await file.write(bytes, size);
      size += bytes.length;
      tail = tail.append(bytes);
      if (mark !== undefined) committed = { bytes: size, uncompressed: size, tail, mark: mark() };
    },
    flush: async () => {},
    sync: () => file.sync(),
    close: () => file.close(),
  };
}
