/** An exit code of the program. The help, the man page and docs/exit-codes-and-errors.md are made from these rows. */
export interface ExitCodeRow {
  /** One code, or several with the same meaning. */
  readonly code: string;
  /** For help and the man page. */
  readonly short: string;
  /** For the documentation, as Markdown. */
  readonly meaning: string;
  /** What to do. */
  readonly action: string;
}

export const exitCodeTable: readonly ExitCodeRow[] = [
  {
    code: '0',
    short: 'success',
    meaning:
      'every row was scored, or no more were rejected than `--rejects-ok` allows; also when the reader of a pipe ' +
      'stops early (`\\| head`)',
    action: 'continue',
  },
  {
    code: '1',
    short: 'finished; some rows were rejected',
    meaning: 'finished; some rows were rejected',
    action: 'use the output, look at the rejects',
  },
  {
    code: '2',
    short: 'nothing was done: wrong usage, definition, input, report or key',
    meaning:
      'nothing was done: error in the command line or definition, missing input or report, wrong key, an output ' +
      'that is in use or belongs to another run',
    action: 'correct the error and run again',
  },
  {
    code: '3',
    short: 'stopped before the end; the same command resumes',
    meaning:
      'stopped before the end: service unavailable for longer than `--max-outage`, too many rejects, disk full, ' +
      'unreadable input',
    action: 'remove the cause and run the same command again; with a file as output, it resumes',
  },
  {
    code: '4',
    short: 'row counts do not add up, or verify found a difference',
    meaning: 'finished, but the row counts do not add up, or `verify` found a difference',
    action: 'do not use the output',
  },
  {
    code: '129, 130, 143',
    short: 'ended by SIGHUP, SIGINT or SIGTERM; the same command resumes',
    meaning:
      'ended by SIGHUP, SIGINT or SIGTERM: in-flight requests were finished (up to 10 s) and the checkpoint kept; a ' +
      'second signal stops immediately',
    action: 'run the same command again',
  },
];
