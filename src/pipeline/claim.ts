import { RowcastError } from '../errors.ts';
import { diskFiles, type Files } from '../io/files.ts';
import { openSink } from '../io/sink.ts';
import { resolveTarget } from '../io/target.ts';
import { claimFile } from './claim-file.ts';
import type { ScoreOptions } from './options.ts';
import { type Claim, claimSink } from './output.ts';

/** Files hold people's data: only their owner reads them. */
const MODE = 0o600;

/**
 * Takes a run's output, whatever it is.
 *
 * @param inputMode permissions of the input: those of a new file are as strict
 * @returns undefined when OUTPUT is there and is to be left alone
 */
export async function claimOutput(
  options: Pick<
    ScoreOptions,
    'input' | 'output' | 'rejects' | 'ifExists' | 'restart' | 'checkpointSeconds' | 'checksum'
  >,
  inputMode: number | undefined,
  files: Files = diskFiles,
): Promise<Claim | undefined> {
  const { input, output: name, rejects } = options;
  const target = await resolveTarget(name, input);
  const rejectsTarget = rejects === undefined ? undefined : await resolveTarget(rejects, input);
  if (target.kind !== 'file')
    return claimSink(
      () => openSink(target, name),
      rejectsTarget && (() => openSink(rejectsTarget, rejects ?? '')),
      options.checksum,
    );
  if (rejectsTarget !== undefined && rejectsTarget.kind !== 'file')
    throw new RowcastError('bad_rejects', 'the rejects of an output file go to a file too', {
      place: { file: rejects ?? '' },
      hint: 'A run that is killed goes on with both; give a file as --rejects.',
    });
  const mode = MODE & (inputMode ?? MODE);
  return claimFile({ ...options, name, path: target.path, rejects: rejectsTarget?.path, mode, files });
}
