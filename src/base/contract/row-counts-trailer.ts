/** Row counts of an upload: read = scored + rejected. */
export interface UploadRowCounts {
  read: number;
  scored: number;
  rejected: number;
  /** Values that are not of the type of their column. */
  mismatched?: number;
  /** Values that are categories which the model does not know. */
  unseen?: number;
}

/** The trailer (RFC 9110 section 6.5) at the end of a scored upload. */
export const rowCountsTrailer = 'x-rowcast-accounts';

/**
 * A dictionary (RFC 9651). A single trailer, so that either all counts arrive or none. Values are counted in it if
 * there are any that the model does not recognize.
 */
export function formatRowCounts(rowCounts: UploadRowCounts): string {
  const { read, scored, rejected, mismatched = 0, unseen = 0 } = rowCounts;
  const rows = `read=${read}, scored=${scored}, rejected=${rejected}`;
  return mismatched + unseen === 0 ? rows : `${rows}, mismatched=${mismatched}, unseen=${unseen}`;
}

const count = '=(\\d{1,15})';
const pattern = new RegExp(
  `^read${count}, ?scored${count}, ?rejected${count}(?:, ?mismatched${count}, ?unseen${count})?$`,
);

/** @returns undefined if the text is not valid */
export function parseRowCounts(text: string | undefined): UploadRowCounts | undefined {
  const [, ...counts] = pattern.exec(text ?? '') ?? [];
  const [read, scored, rejected, mismatched, unseen] = counts.flatMap(digits =>
    digits === undefined ? [] : [Number(digits)],
  );
  if (read === undefined || scored === undefined || rejected === undefined) return undefined;
  const rows = { read, scored, rejected };
  return mismatched === undefined || unseen === undefined ? rows : { ...rows, mismatched, unseen };
}

/** The response to POST /user/batch-predict. */
export interface ScoredUpload {
  /** The scored CSV; must be read to the end. */
  chunks: AsyncGenerator<Buffer>;
  /**
   * The row counts, available after the last chunk.
   *
   * @throws CallError `wrong_answer` if the response has no row counts: it may be incomplete
   */
  rowCounts(): UploadRowCounts;
}
