/** Whether an error of fs says that there is no such file or folder. */
export const isMissing = (cause: unknown): boolean => codeOf(cause) === 'ENOENT';

/** For `catch`: undefined if there is no such file or folder; throws any other error. */
export function unlessMissing(cause: unknown): undefined {
  if (!isMissing(cause)) throw cause;
}

/**
 * For `catch`: undefined if nothing is at the path, also because one of its folders is a file; throws any other error.
 */
export function unlessAbsent(cause: unknown): undefined {
  if (codeOf(cause) !== 'ENOTDIR') unlessMissing(cause);
}

const codeOf = (cause: unknown): string | undefined => (cause as NodeJS.ErrnoException).code; // errors of fs
