import type { RunObserver } from '../../runs/observer.ts';
import type { RowCounts } from '../../scoring/row-counts.ts';

/** About the size of a reject's row, line and code. */
const REJECT_BYTES = 64;

/** @param onProgress called after each part with the bytes of output and rejects so far; throws to stop the run */
export function uploadProgress(onProgress: (rowCounts: RowCounts, bytes: number) => void): RunObserver {
  let rejectBytes = 0;
  return {
    rejected({ record, reason }) {
      rejectBytes += record.length + reason.length + REJECT_BYTES;
    },
    progress: ({ rowCounts }) => onProgress(rowCounts, rowCounts.bytesOut + rejectBytes),
  };
}
