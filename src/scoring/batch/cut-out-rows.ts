import type { Layout } from '../../formats/format.ts';
import { type Batch, RecordKind } from '../../formats/records/batch.ts';
import type { RowFault } from '../failures/call-error.ts';
import type { Failed } from '../scorer.ts';

/** A piece of a batch: rows of which none is known to be at fault, or a single one that is. */
export interface Piece {
  batch: Batch;
  fault?: RowFault;
}

/**
 * Cuts a batch at the rows that the service says are at fault.
 *
 * @returns the pieces in row order; undefined if the service names no row, or one that it did not get
 */
export function cutOutRows(
  batch: Batch,
  { faults, failure: { rows = [] } }: Failed,
  layout: Pick<Layout, 'slice'>,
): Piece[] | undefined {
  const records = [...batch.kinds.keys()].filter(
    index => batch.kinds[index] !== RecordKind.blank && !faults.has(index),
  );
  const named = new Map(rows.map(fault => [records[fault.row], fault]));
  if (rows.length === 0 || named.has(undefined)) return undefined;
  const pieces: Piece[] = [];
  let from = 0;
  const addUntil = (to: number): void => {
    if (to > from) pieces.push({ batch: layout.slice(batch, from, to) });
    from = to;
  };
  for (const index of [...named.keys()].sort((a = 0, b = 0) => a - b)) {
    if (index === undefined) continue; // excluded above
    addUntil(index);
    const fault = named.get(index);
    pieces.push({ batch: layout.slice(batch, index, index + 1), ...(fault && { fault }) });
    from = index + 1;
  }
  addUntil(batch.ends.length);
  return pieces;
}
