import type { CommandErrorDocs } from './error-doc.ts';

/** Codes of errors that only programs get that use the library. */
export const libraryCodes = {
  callback_failed: {
    exit: [3],
    cause:
      '`onProgress`, `onReject`, `onRetry` or `onStep` threw an error, or returned a promise that was rejected; that error is the cause.',
    fix: 'Handle errors in the callback. The same call resumes the run.',
  },
  scorer_failed: {
    exit: [2, 3],
    cause:
      'The scorer that the program gave threw an error, which is the cause, or returned what JSON cannot express, such as a `bigint`.',
    fix: 'Correct the scorer. For an error that may go away, throw a `RowcastError` with the severity `temporary`.',
  },
} as const satisfies CommandErrorDocs;
