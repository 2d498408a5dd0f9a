import type { RunValues } from '../../base/options/values/run-values.ts';
import type { LockedPaths } from '../paths/lock-paths.ts';
import { runOutputsOf } from '../paths/run-outputs.ts';
import { acquireDurable } from './acquire-durable-output.ts';
import { type AcquiredOutput, acquireSink } from './output.ts';

export interface AcquireOptions {
  locked: LockedPaths;
  /** Aborts waiting for a reader of a FIFO. */
  stop: AbortSignal | undefined;
  /** Whether an unfinished run is known to be of different work, and is to be set aside. */
  isOtherWork?: boolean | undefined;
  /** Called when an unfinished run was set aside. */
  onSetAside?: (() => void) | undefined;
}

/**
 * Acquires the output of a run: a durable one, or a stream such as stdout, a FIFO or a device.
 *
 * @returns undefined if OUTPUT exists and `ifExists` is `skip`
 */
export async function acquireOutput(
  options: Pick<
    RunValues,
    | ('ifExists' | 'restart' | 'restartIfChanged' | 'restartIfRetrained')
    | ('history' | 'checkpointInterval' | 'checksum' | 'private')
  >,
  { locked, stop, isOtherWork = false, onSetAside }: AcquireOptions,
): Promise<AcquiredOutput | undefined> {
  const { output, rejects, backends } = locked;
  if (output.durable === undefined)
    return acquireSink(() => output.open(stop), rejects && (() => rejects.open(stop)), options.checksum);
  const outputs = runOutputsOf(output.durable, rejects?.durable);
  return acquireDurable({ ...options, outputs, backends, isOtherWork, onSetAside });
}
