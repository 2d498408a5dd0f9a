import { stat } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import type { Description } from '../../base/contract/schemas.ts';
import type { HistoryValues } from '../../base/options/values/run-values.ts';
import { combinedSha256, sha256OfFile } from '../../storage/digests.ts';
import type { Checkpoint } from '../checkpoint/checkpoint.ts';
import { reportHash } from '../checkpoint/fingerprint.ts';
import { findInputs } from '../several/input-files.ts';

/**
 * What the command of an unfinished run does when it is run again, as far as the files tell:
 *
 * - `resumes`: nothing has changed
 * - `compares`: the input was modified but has the same size, so its bytes decide
 * - `refuses`: the input has another size
 * - `lacks_input`: the input is gone
 * - `trains`: the history has changed, so the report is trained again, and nothing is left to resume
 * - `retrained`: the report is another one now
 */
export type NextRun = 'resumes' | 'compares' | 'refuses' | 'lacks_input' | 'trains' | 'retrained';

/**
 * Compares an input, a history and a report with what a checkpoint knows of them; reads the whole history.
 *
 * @param report the local report of this name as it is now, if there is one
 */
export async function nextRunOf(
  { fingerprint: { input, report: before }, history }: Pick<Checkpoint, 'fingerprint' | 'history'>,
  report?: Description,
): Promise<NextRun> {
  if (history !== undefined && (await hasChanged(history))) return 'trains';
  if (history === undefined && report !== undefined && reportHash(report) !== before.hash) return 'retrained';
  if (input.size === null || !isAbsolute(input.path)) return 'resumes';
  const now = await stat(input.path).catch(() => undefined);
  if (now === undefined) return 'lacks_input';
  if (now.size !== input.size) return 'refuses';
  return now.mtimeMs === input.modified ? 'resumes' : 'compares';
}

/** A history that cannot be read is reported by the next run. */
async function hasChanged({ path, sha256 }: HistoryValues): Promise<boolean> {
  try {
    const digests: string[] = [];
    for (const file of await findInputs([path].flat())) {
      if (!(await stat(file.path)).isFile()) return false;
      digests.push(await sha256OfFile(file.path));
    }
    return combinedSha256(digests) !== sha256;
  } catch {
    return false;
  }
}
