import { setMaxListeners } from 'node:events';
import type { Logger } from 'pino';

/** The signals that end a run: Ctrl-C, a scheduler's request to stop, and a closed terminal. */
export const ENDING_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
export type EndingSignal = (typeof ENDING_SIGNALS)[number];

export interface Signals {
  /** Aborted by the first signal; the reason is its name. */
  first: AbortSignal;
  /** Restores the default: signals end the process at once. */
  end(): void;
}

export interface SignalHandlers {
  /** By default all `ENDING_SIGNALS`. */
  signals?: readonly EndingSignal[];
  /** Whether the end of the channel to the parent process, if there is one, asks to stop as SIGTERM does. */
  heedsParent?: boolean;
  /** Called with the first signal, after `first` is aborted. */
  onFirst?: (signal: EndingSignal) => void;
  /** Called with the second signal, just before it kills the process, so it must work synchronously. */
  onSecond?: (signal: EndingSignal) => void;
}

/**
 * Does something that the first signal stops.
 *
 * @param stopping what that leads to, for the log
 */
export async function untilStopped<T>(
  log: Logger,
  { stopping, ...handlers }: SignalHandlers & { stopping?: string },
  work: (stop: AbortSignal) => Promise<T>,
): Promise<T> {
  const onFirst = (signal: string): void => log.warn({ event: 'signal', signal }, `${signal}: ${stopping}`);
  const { first, end } = onSignals({ ...(stopping !== undefined && { onFirst }), ...handlers });
  try {
    return await work(first);
  } finally {
    end();
  }
}

/** Turns the first signal into a request to stop; the second one ends the process at once. */
export function onSignals({
  signals = ENDING_SIGNALS,
  heedsParent = false,
  onFirst,
  onSecond,
}: SignalHandlers): Signals {
  const controller = new AbortController();
  // Everything that a command does at the same time listens to it.
  setMaxListeners(0, controller.signal);
  let hasCome = false;
  const handlers = signals.map(signal => [signal, (): void => handle(signal)] as const);
  // Without a handler, the next signal kills the process, whatever it is waiting for.
  const end = (): void => {
    for (const [signal, handler] of handlers) process.off(signal, handler);
    process.off('disconnect', onParent);
  };
  const stop = (signal: EndingSignal): void => {
    if (controller.signal.aborted) return;
    controller.abort(signal);
    onFirst?.(signal);
  };
  /** The end of the parent does not count as a signal: one that has come to both processes is no second one. */
  const onParent = (): void => stop('SIGTERM');
  const handle = (signal: EndingSignal): void => {
    const isFirst = !hasCome;
    hasCome = true;
    if (!isFirst || onSecond === undefined) end();
    if (isFirst) stop(signal);
    else {
      onSecond?.(signal);
      process.kill(process.pid, signal);
    }
  };
  for (const [signal, handler] of handlers) process.on(signal, handler);
  if (heedsParent && process.connected === true) process.on('disconnect', onParent);
  // Before this: undefined without a channel.
  if (heedsParent && process.connected === false) onParent();
  return { first: controller.signal, end };
}
