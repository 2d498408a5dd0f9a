import type { CommandErrorDocs, ErrorDocs } from '../error-doc.ts';

/** Errors of --reuse. */
export const reuseCodes = {
  other_predictions: {
    exit: [2],
    cause: 'The output of `--reuse` was changed, or not made as this run predicts.',
    fix: 'Send all rows once: leave out `--reuse`.',
  },
  reused_differs: {
    exit: [3],
    cause: 'By `--reuse-sample`: the service now predicts something else for a reused row.',
    fix: 'Send all rows: `--restart` without `--reuse`.',
  },
} as const satisfies CommandErrorDocs;

/** Warnings of --reuse. */
export const reuseWarnings = {
  nothing_to_reuse: {
    cause: 'An output of `--reuse` is not there, or too old; on the first day, that is right.',
  },
  reuse_without_version: {
    cause: 'The service does not say which model it has, so `--reuse-max-age` limits the risk.',
  },
  reuse_not_kept: { cause: 'The file `OUTPUT.reuse` cannot be written.', fix: 'Make its folder writable.' },
} as const satisfies ErrorDocs;

/** Events of --reuse. */
export const reuseEvents = {
  reusing: 'From `file`, in which `order`.',
  nothing_to_reuse: 'Of an output that `--reuse` names.',
  reuse_without_version: 'The service may have another model by now.',
  reuse_not_kept: 'The next run cannot reuse this one.',
} as const;
