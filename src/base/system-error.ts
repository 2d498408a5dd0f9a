import { constants } from 'node:os';

/** What Node's errors of files and sockets look like: `EACCES: permission denied, open '/path'`. */
const SYSTEM_ERROR = /^(E[A-Z0-9]+): ([^,]*), /;

/** Whether an operation failed because the disk or the user's quota is full. */
export const isDiskFull = (cause: unknown): boolean => ['ENOSPC', 'EDQUOT'].includes(codeOf(cause) ?? '');

/**
 * Whether the same operation on a file may succeed later, although nobody changes anything: a file server is restarted,
 * or the machine has too much to do.
 */
export const isPassing = (cause: unknown): boolean => PASSING.has(codeOf(cause) ?? '');

/** The hint of an error that may pass. */
export const TRY_AGAIN = 'Check that its disk can be reached, then run the same command again.';

/** The codes of errno(3) of network file systems and of exhausted resources. Not EIO: see `isPassingAt`. */
const PASSING: ReadonlySet<string> = new Set([
  ...['ESTALE', 'ENOTCONN', 'ECONNABORTED', 'ETIMEDOUT', 'ENOLCK'],
  ...['EHOSTDOWN', 'EHOSTUNREACH', 'ENETDOWN', 'ENETUNREACH', 'ENETRESET'],
  ...['EAGAIN', 'EBUSY', 'EINTR', 'EMFILE', 'ENFILE', 'ENOMEM'],
]);

/** The reasons of errors that Node has no words for: it calls them `Unknown system error -116`. */
const REASONS: Readonly<Record<string, string>> = {
  EDQUOT: 'disk quota exceeded',
  ENOLCK: 'no locks available',
  ENETRESET: 'connection aborted by network',
  ESTALE: 'stale file handle',
};

const NAMES = new Map(Object.entries(constants.errno).map(([name, number]) => [-number, name]));

/** The name of a system error, such as `ESTALE`. */
function codeOf(cause: unknown): string | undefined {
  if (!(cause instanceof Error && 'code' in cause)) return undefined;
  const { code, errno } = cause as NodeJS.ErrnoException;
  // The code of a DOMException, such as that of a time limit, is a number.
  if (typeof code !== 'string') return undefined;
  return code.startsWith('Unknown system error') ? NAMES.get(errno ?? 0) : code;
}

/** The reason of an error for a message that already names the file: `permission denied (EACCES)`. */
export function reasonOf(cause: unknown): string {
  const message = cause instanceof Error ? cause.message : String(cause);
  const [, code, reason] = SYSTEM_ERROR.exec(message) ?? [];
  const name = codeOf(cause) ?? '';
  if (code === undefined) return REASONS[name] === undefined ? message : `${REASONS[name]} (${name})`;
  return `${code === 'EISDIR' ? 'it is a folder' : reason} (${code})`;
}
