/** The signals that end a run: Ctrl-C, and what a scheduler sends. */
const SIGNALS = ['SIGINT', 'SIGTERM'] as const;
export type EndingSignal = (typeof SIGNALS)[number];

export interface Signals {
  /** Aborted by the first signal, whose name is the reason. */
  first: AbortSignal;
  /** Signals end the process again, as they do by default. */
  end(): void;
}

/**
 * Turns the first SIGINT or SIGTERM into a request to stop; the second one ends the process at once.
 *
 * @param onFirst told the first one
 */
export function onSignals(onFirst: (signal: EndingSignal) => void): Signals {
  const controller = new AbortController();
  const handlers = SIGNALS.map(signal => {
    const handler = (): void => {
      end();
      onFirst(signal);
      controller.abort(signal);
    };
    return [signal, handler] as const;
  });
  // Without a handler the default action is back: the process dies of the second signal, whatever it waits for.
  const end = (): void => {
    for (const [signal, handler] of handlers) process.off(signal, handler);
  };
  for (const [signal, handler] of handlers) process.on(signal, handler);
  return { first: controller.signal, end };
}
