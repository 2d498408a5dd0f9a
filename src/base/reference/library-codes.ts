import type { CommandErrorDocs } from './error-doc.ts';

/** Codes of errors that only programs get that use the library. */
export const libraryCodes = {
  callback_failed: {
    exit: [3],
    cause: '`onProgress`, `onReject`, `onRetry` or `onStep` threw or rejected; its error is the `cause`.',
    fix: 'The same call resumes.',
  },
  scorer_failed: {
    exit: [2, 3],
    cause:
      'The program’s scorer threw (see `cause`), or returned what JSON cannot express, such as a `bigint`.',
    fix: 'For an error that may go away, throw a `RowcastError` with the severity `temporary`.',
  },
} as const satisfies CommandErrorDocs;
