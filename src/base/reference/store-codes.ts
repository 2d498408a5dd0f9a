import type { CommandErrorDocs } from './error-doc.ts';

/** Errors of object stores. */
export const storeCodes = {
  no_such_bucket: {
    exit: [2, 3],
    cause: 'There is no such bucket or container.',
    fix: 'Check the URL, `region` and `endpoint`.',
  },
  no_store_credentials: {
    exit: [2, 3],
    cause: "The store's chain of credentials found none.",
    fix: 'Log in with its command, set its variables, or use `--store-options unsigned=true`.',
  },
  store_credentials_expired: {
    exit: [75],
    cause: 'The credentials expired, and there are no newer ones.',
    fix: 'Renew them, then run again.',
  },
  store_access_denied: {
    exit: [2, 3],
    cause: 'The credentials do not allow the request.',
    fix: 'Grant [the permissions](stores.md#credentials-and-permissions).',
  },
  store_unavailable: {
    exit: [75],
    cause: 'The store did not respond for longer than `--max-outage`.',
    fix: 'Run again.',
  },
  store_without_conditions: {
    exit: [2],
    cause: 'The store ignores conditions, so two processes could destroy each other’s output.',
    fix: 'Write to a file, and copy it.',
  },
  too_many_parts: { exit: [3], cause: 'More than 9,999 parts.', fix: '`--restart --part-bytes 128MiB`.' },
} as const satisfies CommandErrorDocs;
