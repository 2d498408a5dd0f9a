import { RequestError } from '../../server/problems/problems.ts';
import { type ToldError, tellError } from '../errors/told-error.ts';

/** What to do about errors of runs, instead of the hints for the command line. */
export const runHints: Readonly<Record<string, string>> = {
  group_too_large: 'Write the file with smaller row groups.',
  missing_columns: 'Add the columns to the file. Their values may be empty.',
  too_many_mismatches: 'Check that this is the right file. The command line can score it all the same.',
  too_many_missing: 'Check that this is the right file. The command line can score it all the same.',
  too_many_unseen: 'Check that this is the right file. The command line can score it all the same.',
  unreadable_input: 'The file did not arrive whole. Score it again.',
};

/** @param what how many there are */
export const tooManyRuns = (what: string): RequestError =>
  new RequestError('too_many_runs', `${what}, which is the limit. Delete runs that you do not need.`);

export const noFile: ToldError = {
  code: 'request_timeout',
  message: 'The file did not arrive.',
  hint: 'Drop it again.',
};

export const wasDeleted: ToldError = { code: 'no_such_run', message: 'The run was deleted.', hint: null };

export const problemOfRun = (error: unknown): ToldError => tellError(error, runHints);
