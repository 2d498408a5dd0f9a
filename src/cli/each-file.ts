import { Interrupted } from '../base/interrupted.ts';
import { codeOfFile } from '../library/several/combine-exit-codes.ts';
import { exitCodeOf } from '../runs/exit-code.ts';
import type { Context } from './context.ts';
import { logFileFailure } from './report-failure.ts';

/**
 * Does something with each of several files, one after the other. One that fails is reported and does not stop the
 * others.
 *
 * @param isLast whether a failure, or an exit code, ends it: the others are then left out
 * @returns the exit codes of the files that were not left out
 * @throws Interrupted
 */
export async function eachFile<File>(
  context: Context,
  files: readonly File[],
  {
    nameOf,
    isLast = () => false,
  }: { nameOf: (file: File) => string; isLast?: (code: number, error?: unknown) => boolean },
  act: (file: File) => Promise<number>,
): Promise<number[]> {
  const codes: number[] = [];
  for (const file of files) {
    let failure: unknown;
    const code = await act(file).catch((error: unknown) => {
      if (error instanceof Interrupted) throw error;
      logFileFailure(context, error, nameOf(file));
      failure = error;
      return codeOfFile(exitCodeOf(error));
    });
    codes.push(code);
    if (isLast(code, failure)) break;
  }
  return codes;
}
