/** What became of an upload's rows: read = scored + rejected. */
export interface UploadAccounts {
  read: number;
  scored: number;
  rejected: number;
}

/** The trailer (RFC 9110 section 6.5) that a scored upload ends in. */
export const accountsTrailer = 'x-rowcast-accounts';

/** A dictionary of RFC 9651. One trailer, so that all are there or none. */
export const formatAccounts = ({ read, scored, rejected }: UploadAccounts): string =>
  `read=${read}, scored=${scored}, rejected=${rejected}`;

/** @returns undefined for what is none */
export function parseAccounts(text: string | undefined): UploadAccounts | undefined {
  const [, ...counts] = /^read=(\d{1,15}), ?scored=(\d{1,15}), ?rejected=(\d{1,15})$/.exec(text ?? '') ?? [];
  const [read, scored, rejected] = counts.map(Number);
  if (read === undefined || scored === undefined || rejected === undefined) return undefined;
  return { read, scored, rejected };
}
