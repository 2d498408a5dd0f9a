import type { Tail } from '../../storage/digests.ts';
import type { StoredExtent } from '../../storage/durable-output.ts';
import { type Extent, fileStart, type StoredPoint } from '../../storage/partial-file.ts';
import type { CommitPoint, WrittenExtents } from './output.ts';
import type { RejectsExtent } from './rejects-output.ts';

/** The state at a point where the output can be truncated. */
export interface Mark {
  rejects: RejectsExtent;
  commitPoint: CommitPoint;
}

/** The parts of output and rejects that a checkpoint covers; they must be synced, because a storage describes them then. */
export function extentsOf({ uncompressed, mark, open, ...output }: Extent<Mark>): WrittenExtents {
  const { rejects = fileStart } = mark ?? {};
  return {
    output: { ...storedExtent(output), uncompressed, ...(open !== undefined && { open }) },
    rejects: storedExtent(rejects),
  };
}

/** If the storage describes its points itself, there is nothing that the digest of the tail could be compared with. */
const storedExtent = ({ bytes, tail, stored, notes }: Written): StoredExtent => ({
  bytes,
  ...(stored === undefined
    ? { tail: tail.digest() }
    : { tail: '', state: stored.state(), carried: stored.carried }),
  ...(notes !== undefined && { notes }),
});

interface Written {
  bytes: number;
  tail: Tail;
  stored?: StoredPoint | undefined;
  notes?: readonly string[] | undefined;
}
