/** Whether an error of fs says that there is no such file or folder. */
export const isMissing = (cause: unknown): boolean => codeOf(cause) === 'ENOENT';

/** For `catch`: undefined if there is no such file or folder; throws any other error. */
export function unlessMissing(cause: unknown): undefined {
  if (!isMissing(cause)) throw cause;
}

/** The same, also if there is a file where a folder of the path should be. */
export function unlessAbsent(cause: unknown): undefined {
  if (codeOf(cause) !== 'ENOTDIR') unlessMissing(cause);
}

const codeOf = (cause: unknown): string | undefined => (cause as NodeJS.ErrnoException).code; // errors of fs
