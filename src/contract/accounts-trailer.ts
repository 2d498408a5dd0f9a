/** Row counts of an upload: read = scored + rejected. */
export interface UploadAccounts {
  read: number;
  scored: number;
  rejected: number;
}

/** The trailer (RFC 9110 section 6.5) at the end of a scored upload. */
export const accountsTrailer = 'x-rowcast-accounts';

/** A dictionary (RFC 9651). A single trailer, so that either all counts arrive or none. */
export const formatAccounts = ({ read, scored, rejected }: UploadAccounts): string =>
  `read=${read}, scored=${scored}, rejected=${rejected}`;

/** @returns undefined if the text is not valid */
export function parseAccounts(text: string | undefined): UploadAccounts | undefined {
  const [, ...counts] = /^read=(\d{1,15}), ?scored=(\d{1,15}), ?rejected=(\d{1,15})$/.exec(text ?? '') ?? [];
  const [read, scored, rejected] = counts.map(Number);
  if (read === undefined || scored === undefined || rejected === undefined) return undefined;
  return { read, scored, rejected };
}
