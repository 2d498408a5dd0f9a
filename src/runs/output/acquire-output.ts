import { diskFiles, type Files } from '../../storage/local/durable-files.ts';
import { openSink } from '../../storage/sink.ts';
import type { ScoreOptions } from '../options.ts';
import type { LockedPaths } from '../paths/lock-paths.ts';
import { acquireFile } from './acquire-file-output.ts';
import { type AcquiredOutput, acquireSink } from './output.ts';

/** The files contain personal data, so only their owner may read them. */
const MODE = 0o600;

export interface AcquireOptions {
  locked: LockedPaths;
  /** Permissions of the input: new files are at least as strict. */
  inputMode: number | undefined;
  /** Aborts waiting for a reader of a FIFO. */
  stop: AbortSignal | undefined;
  files: Files | undefined;
}

/**
 * Acquires the output of a run: a file, stdout, a FIFO or a device.
 *
 * @returns undefined if OUTPUT exists and `ifExists` is `skip`
 */
export async function acquireOutput(
  options: Pick<
    ScoreOptions,
    'output' | 'rejects' | 'ifExists' | 'restart' | 'checkpointInterval' | 'checksum'
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
