/** An exit code of the program. The help and docs/exit-codes-and-errors.md are made from these rows. */
export interface ExitCodeRow {
  /** One code, or several with the same meaning. */
  readonly code: string;
  /** For help. */
  readonly short: string;
  /** For the documentation, as Markdown. */
  readonly meaning: string;
  /** What a person does. */
  readonly action: string;
  /** What a scheduler does. */
  readonly scheduler: string;
}

export const exitCodeTable: readonly ExitCodeRow[] = [
  {
    code: '0',
    short: 'success',
    meaning:
      'all rows were scored, or rejects are within `--rejects-ok`; the output existed with `--if-exists skip`; ' +
      'or the reader of a pipe stopped early (`\\| head`)',
    action: 'continue',
    scheduler: 'go on',
  },
  {
    code: '1',
    short: 'finished; some rows were rejected',
    meaning: 'finished, with rejected rows, also of unchanged files that are skipped',
    action: 'use the output, look at the rejects',
    scheduler: 'go on with a warning, or allow some rejects with `--rejects-ok`',
  },
  {
    code: '2',
    short: 'nothing was done: wrong usage, definition, input, report or key',
    meaning:
      'nothing was done: wrong command line, definition or key, missing input or report, output of another run',
    action: 'correct the error and run again',
    scheduler: 'fail, do not retry',
  },
  {
    code: '3',
    short: 'stopped, and would stop again: too many rejects, damaged input',
    meaning:
      'stopped, and would stop again: too many rejects, damaged input, revoked key, unreadable or unwritable file',
    action: 'remove the cause and run it again: with a file as output, it resumes',
    scheduler: 'fail, do not retry: a person has to change something',
  },
  {
    code: '4',
    short: 'row counts do not add up, or verify found a difference',
    meaning: 'finished, but the row counts do not add up, or `verify` found a difference',
    action: 'do not use the output',
    scheduler: 'fail, do not use the output',
  },
  {
    code: '70',
    short: 'a bug in rowcast',
    meaning: 'a bug, or a crash of Node.js',
    action: 'report it with the last lines on stderr, and run it again',
    scheduler: 'fail and report it',
  },
  {
    code: '75',
    short: 'try again later: service unavailable, output locked, disk full',
    meaning:
      'temporary: the service was unavailable for longer than `--max-outage`, another run writes the same file, or ' +
      'the disk is full',
    action: 'run it again later: likewise',
    scheduler: 'retry the same command after a while',
  },
  {
    code: '129, 130, 143',
    short: 'ended by SIGHUP, SIGINT or SIGTERM; the same command resumes',
    meaning:
      'ended by SIGHUP, SIGINT or SIGTERM: in-flight requests were finished (up to 10 s) and the checkpoint kept; a ' +
      'second signal stops immediately. 137 (SIGKILL) is the same without the wait',
    action: 'run it again',
    scheduler: 'run the same command again',
  },
];
