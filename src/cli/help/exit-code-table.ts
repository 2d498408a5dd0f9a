/** An exit code of the program. The help, the man page and docs/exit-codes-and-errors.md are made from these rows. */
export interface ExitCodeRow {
  /** One code, or several with the same meaning. */
  readonly code: string;
  /** For help and the man page. */
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
      'every row was scored, or no more were rejected than `--rejects-ok` allows; the output was there and ' +
      '`--if-exists skip` given; or the reader of a pipe stopped early (`\\| head`)',
    action: 'continue',
    scheduler: 'go on',
  },
  {
    code: '1',
    short: 'finished; some rows were rejected',
    meaning:
      'finished; some rows were rejected, by this command or, of files that are skipped because they have not changed, ' +
      'when they were scored',
    action: 'use the output, look at the rejects',
    scheduler: 'go on with a warning, or allow some rejects with `--rejects-ok`',
  },
  {
    code: '2',
    short: 'nothing was done: wrong usage, definition, input, report or key',
    meaning:
      'nothing was done: error in the command line or definition, missing input or report, wrong key, an output ' +
      'that belongs to another run',
    action: 'correct the error and run again',
    scheduler: 'fail, do not retry',
  },
  {
    code: '3',
    short: 'stopped, and would stop again: too many rejects, damaged input',
    meaning:
      'stopped before the end, and would stop again: too many rejects, damaged input, a key that was revoked, a file ' +
      'that cannot be read or written',
    action: 'remove the cause and run the same command again; with a file as output, it resumes',
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
    meaning: 'an error that rowcast does not handle: a bug, or a crash of Node.js',
    action: 'report it with the last lines on stderr; the same command resumes',
    scheduler: 'fail and report it',
  },
  {
    code: '75',
    short: 'try again later: service unavailable, output locked, disk full',
    meaning:
      'nobody has to change the command: the service was unavailable for longer than `--max-outage`, another run ' +
      'writes the same file, or the disk is full',
    action: 'run the same command again later; with a file as output, it resumes',
    scheduler: 'retry the same command after a while',
  },
  {
    code: '129, 130, 143',
    short: 'ended by SIGHUP, SIGINT or SIGTERM; the same command resumes',
    meaning:
      'ended by SIGHUP, SIGINT or SIGTERM: in-flight requests were finished (up to 10 s) and the checkpoint kept; a ' +
      'second signal stops immediately. 137 (SIGKILL) is the same without the wait',
    action: 'run the same command again',
    scheduler: 'run the same command again',
  },
];
