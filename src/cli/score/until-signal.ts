import type { Logger } from 'pino';
import { Interrupted } from '../../base/interrupted.ts';
import { RunControl } from '../../runs/run-control.ts';
import { LOCAL } from '../../scoring/scorer.ts';
import { onSignals } from '../signals.ts';

/** How long to send traces, metrics and lineage after a signal; schedulers kill a process that takes long. */
const AFTER_SIGNAL_MS = 2_000;

/** Ends waiting for what is sent when a run is over: with the next signal, or soon, if one has come. */
export const afterSignal = (stop: AbortSignal): AbortSignal =>
  stop.aborted ? AbortSignal.timeout(AFTER_SIGNAL_MS) : stop;

/**
 * Executes something that a signal stops. After a second one, and if the process ends otherwise, the run writes how it
 * has ended at once.
 *
 * @param execute returns its result, and what is known of its scorer meanwhile
 */
export async function untilSignal<T>(
  { log }: { log: Logger },
  execute: (control: RunControl) => { run: { readonly service: string | null }; result: () => Promise<T> },
): Promise<T> {
  let service: () => string | null = () => null;
  let control: RunControl | undefined;
  const signals = onSignals({
    onFirst: signal =>
      log.warn(
        { event: 'signal', signal },
        `${signal}: finishing ${service() === LOCAL ? 'the rows in progress' : 'in-flight requests'} (up to 10 s); ${signal === 'SIGINT' ? 'press Ctrl-C again' : 'send it again'} to exit now`,
      ),
    onSecond: signal => control?.exitNow(new Interrupted(AbortSignal.abort(signal))),
  });
  const onExit = (code: number): void =>
    control?.exitNow(new Error('the process ended before the run did'), code);
  process.on('exit', onExit);
  try {
    control = new RunControl(signals.first);
    const { run, result } = execute(control);
    service = () => run.service;
    return await result();
  } finally {
    process.off('exit', onExit);
    signals.end();
  }
}
