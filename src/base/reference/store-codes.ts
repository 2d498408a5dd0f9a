import type { CommandErrorDocs } from './error-doc.ts';

/** Errors of object stores. */
export const storeCodes = {
  no_such_bucket: {
    exit: [2, 3],
    cause: 'The store has no bucket or container of that name.',
    fix: 'Check the URL, and `region` and `endpoint` of `--store-options`.',
  },
  no_store_credentials: {
    exit: [2, 3],
    cause: "The store's own chain of credentials found none.",
    fix: "Log in with the store's command, set its variables, or use `--store-options unsigned=true` for public objects.",
  },
  store_credentials_expired: {
    exit: [75],
    cause: 'The credentials were valid once, and their source gives no newer ones.',
    fix: 'Renew them, then run the same command again.',
  },
  store_access_denied: {
    exit: [2, 3],
    cause: 'The credentials do not allow the request.',
    fix: 'Grant the permissions that [the page about stores](stores.md) lists.',
  },
  store_unavailable: {
    exit: [75],
    cause: 'The store did not respond, or asked to slow down, for longer than `--max-outage`.',
    fix: 'Run the same command again.',
  },
  store_without_conditions: {
    exit: [2],
    cause:
      'The store ignores the conditions of requests, so two processes could destroy the output of each other.',
    fix: 'Write to a local file, and copy it.',
  },
  too_many_parts: {
    exit: [3],
    cause: 'The output is larger than 9,999 parts of an upload.',
    fix: 'Start over with larger parts: `--restart --part-bytes 128MiB`.',
  },
} as const satisfies CommandErrorDocs;
