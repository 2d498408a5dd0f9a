/** What Node's errors of files and sockets look like: `EACCES: permission denied, open '/path'`. */
const SYSTEM_ERROR = /^(E[A-Z0-9]+): ([^,]*), /;

/** Whether an operation failed because the disk or the user's quota is full. */
export const isDiskFull = (cause: unknown): boolean =>
  cause instanceof Error && 'code' in cause && (cause.code === 'ENOSPC' || cause.code === 'EDQUOT');

/** The reason of an error for a message that already names the file: `permission denied (EACCES)`. */
export function reasonOf(cause: unknown): string {
  const message = cause instanceof Error ? cause.message : String(cause);
  const [, code, reason] = SYSTEM_ERROR.exec(message) ?? [];
  if (code === undefined) return message;
  return `${code === 'EISDIR' ? 'it is a folder' : reason} (${code})`;
}
