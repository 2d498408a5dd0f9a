import { RowcastError } from '../../base/errors.ts';
import { RequestError } from '../../server/problems/problems.ts';

export const noSuchData = (): RequestError =>
  new RequestError('no_such_data', 'There is no such data. It may have been deleted.');

export const damagedData = (): RequestError =>
  new RequestError('damaged_data', 'This data is damaged. Delete it and upload the file again.');

/** What to do on the pages about errors whose hints are for the command line. */
const hints: Readonly<Record<string, string>> = {
  group_too_large: 'Write the file with smaller row groups.',
};

/** Errors that only a larger limit of the command line helps against have another hint there. */
const COMMAND_LINE = / --[a-z]/;

/** An error in an uploaded file, with its name, line and reason. */
function invalidFile({ code, message, location, hint }: RowcastError): RequestError {
  const { file = '', line } = location;
  const where = line === undefined ? file : `${file}, line ${line}`;
  const own = hint === undefined || COMMAND_LINE.test(` ${hint}`) ? '' : hint;
  const next = hints[code] ?? own;
  return new RequestError('invalid_csv', `${where}: ${message}.${next === '' ? '' : ` ${next}`}`);
}

/** An error while an upload is stored, as the response to it. */
export const uploadError = (error: unknown): unknown =>
  error instanceof RowcastError ? invalidFile(error) : error;
