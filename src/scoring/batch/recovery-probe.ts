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

/** The probes for one failing batch. */
export interface Probes {
  /**
   * Starts to send probes, unless some are in flight.
   *
   * @param attempts of the batch that failed so far
   * @param isPart whether the service was shown to be up: then several are sent at the same time
   */
  send(attempts: number, count: number, isPart: boolean): void;
  /** Cancels them. */
  end(): void;
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
export class Prober {
  readonly #options: ProberOptions;
  #smallest: Batch | undefined;
  /** The probes in flight; only one batch probes at a time, to spare a failing service. */
  #probing: AbortController | undefined;

  constructor(options: ProberOptions) {
    this.#options = options;
  }

  /** A batch was scored, at least in part. */
  scored(batch: Batch): void {
    if (batch.bytes.length >= (this.#smallest?.bytes.length ?? Number.POSITIVE_INFINITY)) return;
    // A copy, because the buffer is reused. Copies are rare: only of a batch smaller than all before.
    this.#smallest = { ...batch, bytes: Buffer.from(batch.bytes) };
  }

  begin(batch: Batch): Probes {
    let own: AbortController | undefined;
    const end = (): void => {
      own?.abort();
      if (this.#probing === own) this.#probing = undefined;
      own = undefined;
    };
    return {
      send: (attempts, count, isPart) => {
        if (this.#probing !== own) return;
        // Several probes run one after the other, and may take longer than the wait before the retry.
        if (count > 1 && own !== undefined) return;
        end();
        const probe = this.#smallest ?? this.#oneRowOf(batch, attempts);
        if (probe === undefined) return;
        const started = new AbortController();
        own = started;
        this.#probing = started;
        void this.#send(probe, { count, atOnce: isPart ? MAX_AT_ONCE : 1 }, started.signal).finally(() => {
          if (own === started) end();
        });
      },
      end,
    };
  }

  #oneRowOf(batch: Batch, attempts: number): Batch | undefined {
    if (batch.ends.length < 2) return undefined;
    const index = attempts % batch.ends.length;
    return this.#options.layout.slice(batch, index, index + 1);
  }

  async #send(
    probe: Batch,
    { count, atOnce }: { count: number; atOnce: number },
    ended: AbortSignal,
  ): Promise<void> {
    const { scorer, signal } = this.#options;
    const [part] = scorer.parts(probe);
    if (part === undefined) return;
    const either = AbortSignal.any([ended, signal]);
    let [sent, failed] = [0, 0];
    const sendNext = async (): Promise<void> => {
      while (sent < count && failed <= MAX_FAILED && !either.aborted) {
        sent++;
        if (!(await this.#succeeds(part, either))) failed++;
      }
    };
    await Promise.all(Array.from({ length: atOnce }, sendNext));
  }

  async #succeeds(batch: Batch, signal: AbortSignal): Promise<boolean> {
    const { scorer, feedback } = this.#options;
    const { retryPolicy } = scorer;
    try {
      const outcome = await scorer.tryPart({ batch, predictionType: feedback.predictionType() }, signal);
      const now = performance.now();
      // Nothing was sent if each row is malformed, or has a value of the wrong type.
      if ('predictions' in outcome && countPersonas(batch, outcome) <= (outcome.unsent ?? 0)) return false;
      if ('predictions' in outcome) retryPolicy?.availability.succeeded(now, true);
      else if (!signal.aborted)
        retryPolicy?.availability.failed(retryPolicy.table[outcome.failure.kind].service, now);
      return 'predictions' in outcome;
    } catch {
      return false; // it was aborted
    }
  }
}
