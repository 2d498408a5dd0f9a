import { diskFiles, type Files } from '../../storage/local/durable-files.ts';
import { openSink } from '../../storage/sink.ts';
import type { ScoreOptions } from '../options.ts';
import type { LockedPaths } from '../paths/lock-paths.ts';
import { acquireFile } from './acquire-file-output.ts';
import { type AcquiredOutput, acquireSink } from './output.ts';

/** Files hold people's data: only their owner reads them. */
const MODE = 0o600;

export interface AcquireOptions {
  locked: LockedPaths;
  /** Permissions of the input: those of a new file are as strict. */
  inputMode: number | undefined;
  /** Aborted when nobody waits for the reader of a FIFO any more. */
  stop: AbortSignal | undefined;
  files: Files | undefined;
}

/**
 * Takes a run's output, whatever it is.
 *
 * @returns undefined when OUTPUT exists and is to be left alone
 */
export async function acquireOutput(
  options: Pick<
    ScoreOptions,
    'output' | 'rejects' | 'ifExists' | 'restart' | 'checkpointSeconds' | 'checksum'
  >,
  { locked, inputMode, stop, files = diskFiles }: AcquireOptions,
): Promise<AcquiredOutput | undefined> {
  const { output: name, rejects: rejectsName = '' } = options;
  const { output, rejects } = locked;
  if (output.kind !== 'file')
    return acquireSink(
      () => openSink(output, name, stop),
      rejects && (() => openSink(rejects, rejectsName, stop)),
      options.checksum,
    );
  const mode = MODE & (inputMode ?? MODE);
  const rejectsPath = rejects?.kind === 'file' ? rejects.path : undefined;
  return acquireFile({ ...options, name, path: output.path, rejects: rejectsPath, mode, files });
}
