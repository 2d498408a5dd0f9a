import type { RunValues } from '../../base/options/values/run-values.ts';
import { diskFiles, type Files } from '../../storage/durable-files.ts';
import type { LockedPaths } from '../paths/lock-paths.ts';
import { acquireFile } from './acquire-file-output.ts';
import { type AcquiredOutput, acquireSink } from './output.ts';

export interface AcquireOptions {
  locked: LockedPaths;
  /** Aborts waiting for a reader of a FIFO. */
  stop: AbortSignal | undefined;
  files: Files | undefined;
  /** Whether an unfinished run is known to be of different work, and is to be set aside. */
  isOtherWork?: boolean | undefined;
  /** Called when an unfinished run was set aside. */
  onSetAside?: (() => void) | undefined;
}

/**
 * Acquires the output of a run: a file, stdout, a FIFO or a device.
 *
 * @returns undefined if OUTPUT exists and `ifExists` is `skip`
 */
export async function acquireOutput(
  options: Pick<
    RunValues,
    | ('ifExists' | 'restart' | 'restartIfChanged' | 'restartIfRetrained')
    | ('history' | 'checkpointInterval' | 'checksum' | 'private')
  >,
  { locked, stop, files = diskFiles, isOtherWork = false, onSetAside }: AcquireOptions,
): Promise<AcquiredOutput | undefined> {
  const { output, rejects } = locked;
  const { name, path } = output;
  if (path === undefined)
    return acquireSink(() => output.open(stop), rejects && (() => rejects.open(stop)), options.checksum);
  return acquireFile({ ...options, name, path, rejects: rejects?.path, files, isOtherWork, onSetAside });
}
