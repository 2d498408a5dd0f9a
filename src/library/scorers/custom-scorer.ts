import {
  type CallStatistics,
  newCallStatistics,
  recordLatency,
} from '../../base/contract/call-statistics.ts';
import type { Labels, Numbers } from '../../base/contract/predictions.ts';
import type { Features } from '../../base/contract/schemas.ts';
import { RowcastError } from '../../base/errors.ts';
import { unlessStopped } from '../../base/interrupted.ts';
import { sanitize } from '../../base/sanitize.ts';
import { failureTable } from '../../client/failure-table.ts';
import { InvalidResponse, isObject } from '../../client/parse-response.ts';
import type { ServiceError } from '../../client/protocols/collect-predictions.ts';
import type { Expected } from '../../client/protocols/protocol.ts';
import { parsePredictions } from '../../client/protocols/report/parse-predictions.ts';
import { parseReport } from '../../client/protocols/report/parse-report.ts';
import { hasNumbers, otherKind, readEach, readNumbers } from '../../client/protocols/report/read-numbers.ts';
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
        bytesOf({ tech_specs: {}, drivers: [], ...(await given.report(id)) }),
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
    const answer = await calling(request, async () => {
      const predictions = await unlessStopped(given.score(batch, signal), signal);
      return { predictions, text: JSON.stringify({ predictions }) };
    }).finally(() => {
      statistics.inFlight--;
    });
    recordLatency(statistics, begun);
    return valid(
      request,
      () =>
        readOutcome(answer.predictions, expected) ??
        parsePredictions(answer.text, { ...expected, wire: contractWire }),
    );
  }

  confirm(): boolean {
    return true;
  }

  async confirmAll(): Promise<void> {}
}

const bytesOf = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));

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

/**
 * The labels or numbers that a scorer of a program returns. The first prediction tells what all of them are.
 *
 * @returns undefined if they are something else, such as probabilities
 * @throws InvalidResponse
 */
function readOutcome(outcome: unknown, expected: Expected): Labels | Numbers | undefined {
  if (!Array.isArray(outcome)) return undefined;
  const first: unknown = outcome.find(prediction => isObject(prediction) && !isObject(prediction.error));
  if (!isObject(first)) return undefined;
  if ('label' in first) return readLabels(outcome, expected);
  return hasNumbers(first) ? readNumbers(outcome, expected, errorIn) : undefined;
}

function readLabels(outcome: readonly unknown[], expected: Expected): Labels {
  const indexOf = new Map<string, number>();
  const indices = new Int32Array(expected.personas).fill(-1);
  const errors = readEach(outcome, expected, errorIn, ({ label }, row) => {
    if (label === null) return;
    if (typeof label !== 'string') throw otherKind(row, 'has no label that is a text');
    const index = indexOf.get(label) ?? indexOf.size;
    indexOf.set(label, index);
    indices[row] = index;
  });
  return { kind: 'label', labels: [...indexOf.keys()], indices, errors };
}

/** A code is a key of counters, so any other text is replaced by `error`. */
function errorIn({ error }: Record<string, unknown>): ServiceError | undefined {
  if (!isObject(error)) return undefined;
  const { code, message } = error;
  const isCode = typeof code === 'string' && /^[A-Za-z0-9][\w.-]{0,40}$/.test(code);
  return { code: isCode ? code : 'error', message: sanitize(String(message)) };
}
