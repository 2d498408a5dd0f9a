import { type Extent, fileStart } from '../../storage/partial-file.ts';
import type { CommitPoint, WrittenExtents } from './output.ts';
import type { RejectsExtent } from './rejects-file.ts';

/** The state at a point where the output can be truncated. */
export interface Mark {
  rejects: RejectsExtent;
  commitPoint: CommitPoint;
}

/** The parts of output and rejects that a checkpoint covers. */
export function extentsOf({ bytes, uncompressed, tail, mark }: Extent<Mark>): WrittenExtents {
  const { rejects = fileStart } = mark ?? {};
  return {
    output: { bytes, uncompressed, tail: tail.digest() },
    rejects: { bytes: rejects.bytes, tail: rejects.tail.digest() },
  };
}
