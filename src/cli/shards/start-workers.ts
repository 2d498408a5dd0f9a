import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { exitCodes } from '../../base/errors.ts';
import { thresholdText } from '../../base/options/values/resolve-options.ts';
import type { JobValues } from '../../base/options/values/run-values.ts';
import { type Address, flagsOfAddress, type Given } from '../../library/service/choose-service.ts';
import { storeFlags } from './store-flags.ts';

export interface Workers {
  /** How many are running. */
  readonly running: number;
  /** The exit codes of the workers, once all have ended. */
  readonly ended: Promise<number[]>;
  /** Lets them finish the rows in progress. */
  stop(): void;
}

export interface StartOptions {
  traceparent: string | undefined;
  stop: AbortSignal;
  /** Called if the system cannot start one of the processes; it counts as one that has ended for a passing reason. */
  onFailed: (cause: NodeJS.ErrnoException) => void;
}

/**
 * Starts processes that score shards.
 *
 * @param args of `rowcast work`
 */
export function startWorkers(
  args: readonly string[],
  number: number,
  { traceparent, stop, onFailed }: StartOptions,
): Workers {
  const [, script = ''] = process.argv;
  const running = new Set<ChildProcess>();
  const work = async (): Promise<number> => {
    let child: ChildProcess | undefined;
    try {
      child = spawn(process.execPath, [...process.execArgv, script, 'work', ...args], {
        // What a worker has to say goes where the command's own messages go.
        stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
        env: { ...process.env, ...(traceparent !== undefined && { TRACEPARENT: traceparent }) },
      });
      running.add(child);
      const [code] = (await once(child, 'exit')) as [number | null];
      return code ?? exitCodes.temporary; // killed
    } catch (cause) {
      onFailed(cause as NodeJS.ErrnoException); // of spawn, which throws it or emits it
      return exitCodes.temporary;
    } finally {
      if (child !== undefined) running.delete(child);
    }
  };
  // No signal: Ctrl-C and many schedulers send theirs to all processes, and a second one would end the workers at once.
  const stopAll = (): void => {
    for (const child of running) if (child.connected) child.disconnect();
  };
  const all = Array.from({ length: number }, work);
  stop.addEventListener('abort', stopAll);
  if (stop.aborted) stopAll();
  const ended = Promise.all(all).finally(() => stop.removeEventListener('abort', stopAll));
  return {
    get running() {
      return running.size;
    },
    ended,
    stop: stopAll,
  };
}

/**
 * The flags of each worker: together they make no more requests at a time than the command may. Their pace is in the
 * plan.
 *
 * @param number of the workers, from 1
 */
export function workerFlags(
  { flags, env }: Given,
  values: JobValues,
  address: Address,
  number: number,
): string[] {
  const share = (value: number): number => Math.max(1, Math.floor(value / number));
  const { maxMismatches, maxMissing, maxUnseen } = values;
  const given = {
    concurrency: share(values.concurrency),
    threads: share(values.threads ?? availableParallelism()),
    timeout: values.timeout,
    'max-outage': values.maxOutage,
    'batch-rows': values.batchRows,
    'batch-bytes': values.batchBytes,
    'max-mismatches': maxMismatches && thresholdText(maxMismatches),
    'max-missing': maxMissing && thresholdText(maxMissing),
    'max-unseen': maxUnseen && thresholdText(maxUnseen),
    'log-format': flags['log-format'],
    'log-level': flags['log-level'],
    progress: 'never',
  };
  const named = Object.entries(given).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}`, String(value)],
  );
  return [...flagsOfAddress(address, env), ...storeFlags(values), ...named, '--quiet'];
}
