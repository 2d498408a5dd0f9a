/** The signals that end a run: Ctrl-C, what a scheduler sends, and the end of the terminal. */
export const ENDING_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
export type EndingSignal = (typeof ENDING_SIGNALS)[number];

export interface Signals {
  /** Aborted by the first signal, whose name is the reason. */
  first: AbortSignal;
  /** Signals end the process again, as they do by default. */
  end(): void;
}

export interface SignalHandlers {
  /** By default all of `ENDING_SIGNALS`. */
  signals?: readonly EndingSignal[];
  /** Told the first one, when `first` is aborted. */
  onFirst?: (signal: EndingSignal) => void;
  /** Told the second one, just before the process dies of it: what it does must be done when it returns. */
  onSecond?: (signal: EndingSignal) => void;
}

/** Turns the first signal into a request to stop; the second one ends the process at once. */
export function onSignals({ signals = ENDING_SIGNALS, onFirst, onSecond }: SignalHandlers): Signals {
  const controller = new AbortController();
  const handlers = signals.map(signal => [signal, (): void => handle(signal)] as const);
  // Without a handler the default action is back: the process dies of the next signal, whatever it waits for.
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
