/** An exit code of the program. The help and docs/exit-codes-and-errors.md are made from these rows. */
export interface ExitCodeRow {
  /** One code, or several with the same meaning. */
  readonly code: string;
  /** For help. */
  readonly short: string;
  /** For the documentation, as Markdown. */
  readonly meaning: string;
  /** What a person or a scheduler does. */
  readonly action: string;
}

export const exitCodeTable: readonly ExitCodeRow[] = [
  {
    code: '0',
    short: 'success',
    meaning:
      'all rows were scored, or rejects are within `--rejects-ok`; skipped; or the reader of a pipe stopped early',
    action: 'go on',
  },
  {
    code: '1',
    short: 'finished; some rows were rejected',
    meaning: 'finished, with rejected rows, also of unchanged files that are skipped',
    action: 'go on, and look at the rejects; `--rejects-ok` allows some',
  },
  {
    code: '2',
    short: 'nothing was done: wrong usage, definition, input, report or key',
    meaning: 'nothing was done: wrong command line, definition, key, input, report or output',
    action: 'do not retry: correct the error',
  },
  {
    code: '3',
    short: 'stopped, and would stop again: too many rejects, damaged input',
    meaning:
      'stopped, and would stop again: too many rejects, damaged input, revoked key, unreadable or unwritable file',
    action: 'do not retry: remove the cause, then the same command resumes',
  },
  {
    code: '4',
    short: 'row counts do not add up, or verify found a difference',
    meaning: 'finished, but the row counts do not add up, or `verify` found a difference',
    action: 'do not use the output',
  },
  {
    code: '70',
    short: 'a bug in rowcast',
    meaning: 'a bug, or a crash of Node.js',
    action: 'report it with the last lines on stderr',
  },
  {
    code: '75',
    short: 'try again later: service unavailable, output locked, disk full',
    meaning: 'temporary: service unavailable for `--max-outage`, file of another run, disk full',
    action: 'retry the same command after a while',
  },
  {
    code: '129, 130, 143',
    short: 'ended by SIGHUP, SIGINT or SIGTERM; the same command resumes',
    meaning:
      'SIGHUP, SIGINT or SIGTERM: requests in flight were finished (up to 10 s). 137 (SIGKILL) is the same without ' +
      'that',
    action: 'run the same command again',
  },
];
