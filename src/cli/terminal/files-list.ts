import { counted } from '../../base/number-text.ts';
import { sanitize } from '../../base/sanitize.ts';
import { shownPath } from './summary-text.ts';

/** Maximum number of files that are listed; the summary, or --json, has all. */
export const MAX_LISTED = 20;

/** A file, and the code of the error that it failed with. */
export interface ListedFile {
  path: string;
  code?: string | undefined;
}

/**
 * A line of files, if there are any: `not scored: in/a.csv [bad_gzip], in/b.csv [no_such_file]`.
 *
 * @param count their number, if only the first ones are given
 */
export function listOf(what: string, files: readonly ListedFile[], count = files.length): string[] {
  if (files.length === 0) return [];
  const listed = files
    .slice(0, MAX_LISTED)
    .map(({ path, code }) => `${sanitize(shownPath(path))}${code === undefined ? '' : ` [${code}]`}`);
  const more = count - listed.length;
  return [`${what}: ${listed.join(', ')}${more > 0 ? ` and ${counted(more)} more` : ''}`];
}
