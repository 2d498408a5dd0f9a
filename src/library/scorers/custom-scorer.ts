import {
  type CallStatistics,
  newCallStatistics,
  recordLatency,
} from '../../base/contract/call-statistics.ts';
import type { Features } from '../../base/contract/schemas.ts';
import { RowcastError } from '../../base/errors.ts';
import { unlessStopped } from '../../base/interrupted.ts';
import { failureTable } from '../../client/failure-table.ts';
import { InvalidResponse } from '../../client/parse-response.ts';
import type { Expected } from '../../client/protocols/protocol.ts';
import { readPersonas } from '../../client/protocols/report/parse-predictions.ts';
import { parseReport } from '../../client/protocols/report/parse-report.ts';
import { reportProtocol } from '../../client/protocols/report/report-protocol.ts';
import { contractWire } from '../../client/protocols/report/wire-names.ts';
import { EncodedBatches } from '../../client/scorer/encoded-batches.ts';
import type { RetryPolicy } from '../../scoring/failures/attempts.ts';
import { CallError } from '../../scoring/failures/call-error.ts';
import { ServiceAvailability } from '../../scoring/failures/service-availability.ts';
import type { ReceivedPredictions } from '../../scoring/predictions.ts';
import type { Scorer, ScorerInput } from '../../scoring/scorer.ts';
import type { ProgramScorer as GivenScorer } from '../scorer.ts';

export interface CustomOptions {
  /** How often it is called at once. */
  concurrency: number;
  /** In seconds. */
  maxOutage: number;
  onRetry?: ((failure: CallError, wait: number) => void) | undefined;
}

/**
 * An object of the caller as a scorer: it gets the personas that a service would get, and its answers are checked
 * alike.
 *
 * @throws RowcastError `bad_option` if it lacks a member
 */
export function customScorer(given: GivenScorer, { concurrency, maxOutage, onRetry }: CustomOptions): Scorer {
  checkScorer(given);
  const statistics: CallStatistics = newCallStatistics();
  const retryPolicy: RetryPolicy = {
    table: failureTable,
    maxOutage,
    availability: new ServiceAvailability(),
    pause() {},
    onRetry(failure, wait) {
      statistics.retries.set(failure.code, (statistics.retries.get(failure.code) ?? 0) + 1);
      onRetry?.(CallError.from(failure), wait);
    },
  };
  return {
    name: given.name,
    statistics,
    async describe(id) {
      const request = `report() of ${given.name}`;
      const said = await calling(request, async () =>
        Buffer.from(JSON.stringify({ tech_specs: {}, drivers: [], ...(await given.report(id)) })),
      );
      return valid(request, () => parseReport(said, id));
    },
    open: input => new CustomBatches({ given, concurrency, retryPolicy, statistics }, input),
  };
}

interface ScorerResources {
  given: GivenScorer;
  concurrency: number;
  retryPolicy: RetryPolicy;
  statistics: CallStatistics;
}

class CustomBatches extends EncodedBatches {
  readonly concurrency: number;
  readonly retryPolicy: RetryPolicy;
  readonly #given: GivenScorer;
  readonly #statistics: CallStatistics;
  readonly #report: string;

  constructor({ given, concurrency, retryPolicy, statistics }: ScorerResources, input: ScorerInput) {
    super(reportProtocol().predict(input.report).body, input);
    this.concurrency = concurrency;
    this.retryPolicy = retryPolicy;
    this.#given = given;
    this.#statistics = statistics;
    this.#report = input.report;
  }

  protected async predict(
    body: Buffer,
    expected: Expected,
    signal: AbortSignal,
  ): Promise<ReceivedPredictions> {
    const given = this.#given;
    const statistics = this.#statistics;
    // As the layout of the report protocol writes it.
    const sent = JSON.parse(body.toString()) as { personas: { features: Features }[] };
    const batch = { report: this.#report, personas: sent.personas.map(({ features }) => features) };
    const begun = performance.now();
    statistics.calls++;
    statistics.inFlight++;
    const request = `score() of ${given.name}`;
    // The scorer may not notice that the run was stopped.
    const predictions = await calling(request, async () => {
      const answer = await unlessStopped(given.score(batch, signal), signal);
      JSON.stringify(answer); // throws for what a service could not say
      return answer;
    }).finally(() => {
      statistics.inFlight--;
    });
    recordLatency(statistics, begun);
    return valid(request, () =>
      readPersonas(predictions, { ...expected, wire: contractWire }, ['label', 'value', 'values']),
    );
  }

  confirm(): boolean {
    return true;
  }

  async confirmAll(): Promise<void> {}
}

function checkScorer(given: GivenScorer): void {
  const { name, report, score }: { [member in keyof GivenScorer]?: unknown } = given ?? {};
  if (typeof name === 'string' && typeof report === 'function' && typeof score === 'function') return;
  throw new RowcastError('bad_option', 'scorer: expected an object with name, report, score and close');
}

/** What the scorer said, once it is checked. */
function valid<T>(request: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    if (!(cause instanceof InvalidResponse)) throw cause;
    throw new CallError('invalid_response', 'wrong_answer', cause.message, { location: { request }, cause });
  }
}

/**
 * What the scorer does. An error that may go away is treated like a service that is down; any other one stops the run.
 */
async function calling<T>(request: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof CallError) throw cause;
    const location = { request };
    const message = cause instanceof Error ? cause.message : String(cause);
    if (cause instanceof RowcastError)
      throw new CallError(cause.retryable ? 'unavailable' : 'fatal', cause.code, message, {
        location,
        cause,
        hint: cause.hint,
      });
    throw new CallError('fatal', 'scorer_failed', `the scorer failed: ${message}`, { location, cause });
  }
}
