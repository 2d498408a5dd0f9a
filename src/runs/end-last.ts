import type { Sink, Target } from '../storage/target.ts';

/** An output whose end is held back. */
export interface EndedLast {
  target: Target;
  /** Ends the output if it is complete. */
  end(): Promise<void>;
  /** Discards it instead, unless it has ended. */
  abandon(): Promise<void>;
}

/**
 * Holds back the end of a stream or pipe until everything else of the run is written: its reader may take the end as the
 * sign that the summary is there. A file is complete when it appears.
 */
export function endLast(target: Target): EndedLast {
  let complete: Sink | undefined;
  const held = async (stop?: AbortSignal): Promise<Sink> => {
    const sink = await target.open(stop);
    return {
      write: bytes => sink.write(bytes),
      async close() {
        complete = sink;
      },
      abandon: () => sink.abandon(),
    };
  };
  return {
    target: target.durable === undefined ? { ...target, open: held } : target,
    async end() {
      await complete?.close();
      complete = undefined;
    },
    abandon: async () => complete?.abandon(),
  };
}
