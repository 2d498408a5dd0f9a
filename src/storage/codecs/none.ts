import { type Tail, TailWindow } from '../digests.ts';
import type { AppendedFile, Extent, PartialFile, StoredPoint } from '../partial-file.ts';
import type { Codec } from './codec.ts';

/** Files without compression. */
export const none: Codec = {
  name: 'none',
  suffix: '',
  isStart: () => true,
  decompress: chunks => chunks,
  partialFile: plainPartial,
  compressNow: bytes => bytes,
};

/** A plain file: it can be truncated after any record. */
function plainPartial<Mark>(file: AppendedFile, from: Extent<Mark>): PartialFile<Mark> {
  let { bytes: size } = from;
  const window = new TailWindow(from.tail);
  /** The point of the last mark, without its tail while nothing follows it: most points are never asked for. */
  let committed: Point<Mark> = from;
  return {
    get committed() {
      const { bytes, mark, tail = window.tail, stored } = committed;
      return { bytes, uncompressed: bytes, mark, tail, stored };
    },
    latest() {
      return this.committed;
    },
    async append({ bytes, mark }) {
      if (mark === undefined) committed = { ...committed, tail: committed.tail ?? window.tail };
      if (bytes.length > 0) await file.append(bytes);
      size += bytes.length;
      const reached = mark?.(); // before the window moves on: if it throws, the last point stays as it is
      window.append(bytes);
      if (mark !== undefined)
        committed = { bytes: size, mark: reached, tail: undefined, stored: file.point?.() };
    },
    flush: async () => {},
    sync: () => file.sync(),
    close: () => file.close(),
  };
}

interface Point<Mark> {
  bytes: number;
  mark: Mark | undefined;
  tail: Tail | undefined;
  stored?: StoredPoint | undefined;
}
