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
  /** Called with the first signal, after `first` is aborted. */
  onFirst?: (signal: EndingSignal) => void;
  /** Called with the second signal, just before it kills the process, so it must work synchronously. */
  onSecond?: (signal: EndingSignal) => void;
}

/** Turns the first signal into a request to stop; the second one ends the process at once. */
export function onSignals({ signals = ENDING_SIGNALS, onFirst, onSecond }: SignalHandlers): Signals {
  const controller = new AbortController();
  const handlers = signals.map(signal => [signal, (): void => handle(signal)] as const);
  // Without a handler, the next signal kills the process, whatever it is waiting for.
  const end = (): void => {
    for (const [signal, handler] of handlers) process.off(signal, handler);
  };
  const handle = (signal: EndingSignal): void => {
    const isFirst = !controller.signal.aborted;
    if (!isFirst || onSecond === undefined) end();
    if (isFirst) {
      controller.abort(signal);
      onFirst?.(signal);
    } else {
      onSecond?.(signal);
      process.kill(process.pid, signal);
    }
  };
  for (const [signal, handler] of handlers) process.on(signal, handler);
  return { first: controller.signal, end };
}
