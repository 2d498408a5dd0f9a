import type { CommandErrorDocs } from './error-doc.ts';

/** Codes of errors that only programs get that use the library. */
export const libraryCodes = {
  callback_failed: {
    exit: [3],
    cause: 'A callback threw or rejected, with the error as `cause`.',
    fix: 'The same call resumes.',
  },
  scorer_failed: {
    exit: [2, 3],
    cause:
      'The program’s scorer threw (see `cause`), or returned what JSON cannot express. A `RowcastError` with the ' +
      'severity `temporary` is tried again.',
  },
} as const satisfies CommandErrorDocs;
