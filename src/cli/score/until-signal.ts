import type { Logger } from 'pino';
import { Interrupted } from '../../base/interrupted.ts';
import { RunControl } from '../../runs/run-control.ts';
import { LOCAL } from '../../scoring/scorer.ts';
import { onSignals } from '../signals.ts';

/** How long to send traces, metrics and lineage after a signal; schedulers kill a process that takes long. */
const AFTER_SIGNAL_MS = 2_000;

/** Ends sending after a run: at the first signal, or after two seconds if the run was ended by one. */
export const afterSignal = (stop: AbortSignal): AbortSignal =>
  stop.aborted ? AbortSignal.timeout(AFTER_SIGNAL_MS) : stop;

/** What a run that signals stop is given. */
export interface SignalledRun {
  control: RunControl;
  /** To be called with the name of the scorer once it is known: the text after the first signal depends on it. */
  onService: (name: string) => void;
}

/**
 * Executes a run that a signal stops. After a second one, and if the process ends otherwise, the run writes how it has
 * ended at once.
 */
export async function untilSignal<T>(
  { log }: { log: Logger },
  execute: (run: SignalledRun) => Promise<T>,
): Promise<T> {
  let service: string | undefined;
  let control: RunControl | undefined;
  const doing = (): string =>
    service === undefined
      ? 'stopping'
      : `finishing ${service === LOCAL ? 'the rows in progress' : 'in-flight requests'} (up to 10 s)`;
  const signals = onSignals({
    onFirst: signal =>
      log.warn(
        { event: 'signal', signal },
        `${signal}: ${doing()}; ${signal === 'SIGINT' ? 'press Ctrl-C again' : 'send it again'} to exit now`,
      ),
    onSecond: signal => control?.exitNow(new Interrupted(AbortSignal.abort(signal))),
  });
  const onExit = (code: number): void =>
    control?.exitNow(new Error('the process ended before the run did'), code);
  process.on('exit', onExit);
  try {
    control = new RunControl(signals.first);
    return await execute({
      control,
      onService(name) {
        service = name;
      },
    });
  } finally {
    process.off('exit', onExit);
    signals.end();
  }
}
