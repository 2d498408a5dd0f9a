import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { exitCodes } from '../../errors.ts';
import type { ScoreValues } from '../../library/run/score-values.ts';
import { type Address, type Environment, flagsOfAddress } from '../../library/service/choose-service.ts';

export interface Workers {
  /** How many are running. */
  readonly running: number;
  /** Their exit codes, once all have ended. */
  readonly ended: Promise<number[]>;
  /** Lets them finish the rows in progress. */
  stop(): void;
}

/**
 * Starts processes that score shards.
 *
 * @param args of `rowcast work`
 */
export function startWorkers(
  args: readonly string[],
  number: number,
  { traceparent, stop }: { traceparent: string | undefined; stop: AbortSignal },
): Workers {
  const [, script = ''] = process.argv;
  const children = Array.from({ length: number }, () =>
    spawn(process.execPath, [...process.execArgv, script, 'work', ...args], {
      // What a worker has to say goes where the command's own messages go.
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      env: { ...process.env, ...(traceparent !== undefined && { TRACEPARENT: traceparent }) },
    }),
  );
  const running = new Set(children);
  const end = async (child: (typeof children)[number]): Promise<number> => {
    const [code] = (await once(child, 'exit')) as [number | null];
    running.delete(child);
    return code ?? exitCodes.temporary; // killed
  };
  // No signal: Ctrl-C and many schedulers send theirs to all processes, and a second one would end the workers at once.
  const stopAll = (): void => {
    for (const child of running) if (child.connected) child.disconnect();
  };
  stop.addEventListener('abort', stopAll);
  if (stop.aborted) stopAll();
  const ended = Promise.all(children.map(end)).finally(() => stop.removeEventListener('abort', stopAll));
  return {
    get running() {
      return running.size;
    },
    ended,
    stop: stopAll,
  };
}

export interface WorkerFlagsOptions {
  values: ScoreValues;
  /** Of the command. */
  flags: Readonly<Record<string, unknown>>;
  address: Address;
  env: Environment;
  number: number;
  /** Of each worker, unless --threads says how many there are together. */
  threads: number;
}

/** The flags of each worker: together they make no more requests at a time than the command may. Their pace is in the plan. */
export function workerFlags({ values, flags, address, env, number, threads }: WorkerFlagsOptions): string[] {
  const { concurrency, timeout, maxOutage, batchRows, batchBytes } = values;
  const share = (value: number): number => Math.max(1, Math.floor(value / number));
  const given = (name: string, value: string | number | undefined): string[] =>
    value === undefined ? [] : [`--${name}`, String(value)];
  const ofLog = ['log-format', 'log-level'];
  return [
    ...flagsOfAddress(address, env),
    ...given('concurrency', share(concurrency)),
    ...given('threads', values.threads === undefined ? threads : share(values.threads)),
    ...given('timeout', timeout),
    ...given('max-outage', maxOutage),
    ...given('batch-rows', batchRows),
    ...given('batch-bytes', batchBytes),
    ...ofLog.flatMap(name => (flags[name] === undefined ? [] : [`--${name}`, String(flags[name])])),
    '--quiet',
    ...['--progress', 'never'],
  ];
}
