import type { Layout } from '../../formats/format.ts';
import type { Batch } from '../../formats/records/batch.ts';
import type { BatchScorer, Feedback } from '../scorer.ts';
import { countPersonas } from './join-predictions.ts';

interface ProberOptions {
  scorer: BatchScorer;
  feedback: Pick<Feedback, 'predictionType'>;
  layout: Pick<Layout, 'slice'>;
  /** Cancels probes. */
  signal: AbortSignal;
}

/** Probes at the same time, if the service was shown to be up. */
const MAX_AT_ONCE = 5;
/** Failed probes that are tolerated; one more means that the service is failing. */
const MAX_FAILED = 1;

/**
 * To tell a failing service from a failing row, see whether other requests succeed in the meantime. If too few ran,
 * send probes: the smallest batch that was scored before, else a single row of the failing batch, a different one each
 * time. Their responses are discarded; that they succeed is counted where all requests are.
 */
export function prober({ scorer, feedback, layout, signal }: ProberOptions) {
  let smallest: Batch | undefined;
  /** The probes in flight; only one batch probes at a time, to spare a failing service. */
  let probing: AbortController | undefined;

  const succeeds = async (batch: Batch, over: AbortSignal): Promise<boolean> => {
    const { retryPolicy } = scorer;
    try {
      const outcome = await scorer.tryPart({ batch, predictionType: feedback.predictionType() }, over);
      const now = performance.now();
      // Nothing was sent if each row is malformed, or has a value of the wrong type.
      if ('predictions' in outcome && countPersonas(batch, outcome) <= (outcome.unsent ?? 0)) return false;
      if ('predictions' in outcome) retryPolicy?.availability.succeeded(now, true);
      else if (!over.aborted)
        retryPolicy?.availability.failed(retryPolicy.table[outcome.failure.kind].service, now);
      return 'predictions' in outcome;
    } catch {
      return false; // it was aborted
    }
  };

  const sendAll = async (probe: Batch, count: number, atOnce: number, ended: AbortSignal): Promise<void> => {
    const [part] = scorer.parts(probe);
    if (part === undefined) return;
    const either = AbortSignal.any([ended, signal]);
    let [sent, failed] = [0, 0];
    const sendNext = async (): Promise<void> => {
      while (sent < count && failed <= MAX_FAILED && !either.aborted) {
        sent++;
        if (!(await succeeds(part, either))) failed++;
      }
    };
    await Promise.all(Array.from({ length: atOnce }, sendNext));
  };

  const oneRowOf = (batch: Batch, attempts: number): Batch | undefined => {
    const index = attempts % batch.ends.length;
    return batch.ends.length < 2 ? undefined : layout.slice(batch, index, index + 1);
  };

  return {
    /** A batch was scored, at least in part. */
    scored(batch: Batch): void {
      if (batch.bytes.length >= (smallest?.bytes.length ?? Number.POSITIVE_INFINITY)) return;
      // A copy, because the buffer is reused. Copies are rare: only of a batch smaller than all before.
      smallest = { ...batch, bytes: Buffer.from(batch.bytes) };
    },

    /** The probes for a failing batch. */
    begin(batch: Batch) {
      let own: AbortController | undefined;
      /** Cancels them. */
      const end = (): void => {
        own?.abort();
        if (probing === own) probing = undefined;
        own = undefined;
      };
      /**
       * Starts to send probes, unless some are in flight.
       *
       * @param attempts of the batch that failed so far
       * @param isPart whether the service was shown to be up: then several are sent at the same time
       */
      const send = (attempts: number, count: number, isPart: boolean): void => {
        if (probing !== own) return;
        // Several probes run one after the other, and may take longer than the wait before the retry.
        if (count > 1 && own !== undefined) return;
        end();
        const probe = smallest ?? oneRowOf(batch, attempts);
        if (probe === undefined) return;
        const started = new AbortController();
        own = started;
        probing = started;
        void sendAll(probe, count, isPart ? MAX_AT_ONCE : 1, started.signal).finally(() => {
          if (own === started) end();
        });
      };
      return { send, end };
    },
  };
}
