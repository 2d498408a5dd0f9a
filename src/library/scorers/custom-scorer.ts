import { isDeepStrictEqual } from 'node:util';
import {
  type CallStatistics,
  newCallStatistics,
  recordLatency,
} from '../../base/contract/call-statistics.ts';
import { MAX_CLASSES } from '../../base/contract/limits.ts';
import { codePointOrder, type Labels, type Numbers } from '../../base/contract/predictions.ts';
import type { Features } from '../../base/contract/schemas.ts';
import { RowcastError } from '../../base/errors.ts';
import { unlessStopped } from '../../base/interrupted.ts';
import { counted, countOf } from '../../base/number-text.ts';
import { sanitize } from '../../base/sanitize.ts';
import { failureTable } from '../../client/failure-table.ts';
import { InvalidResponse, isObject } from '../../client/parse-response.ts';
import { checkCount, type ServiceError } from '../../client/protocols/collect-predictions.ts';
import type { Expected } from '../../client/protocols/protocol.ts';
import { parsePredictions } from '../../client/protocols/report/parse-predictions.ts';
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
  if ('value' in first) return readNumbers(outcome, [], expected);
  if ('values' in first) return readNumbers(outcome, namesOf(first.values, expected), expected);
  return undefined;
}

function readLabels(outcome: readonly unknown[], expected: Expected): Labels {
  const indexOf = new Map<string, number>();
  const indices = new Int32Array(expected.personas).fill(-1);
  const errors = readEach(outcome, expected, ({ label }, row) => {
    if (label === null) return;
    if (typeof label !== 'string') throw otherKind(row, 'has no label that is a text');
    const index = indexOf.get(label) ?? indexOf.size;
    indexOf.set(label, index);
    indices[row] = index;
  });
  return { kind: 'label', labels: [...indexOf.keys()], indices, errors };
}

function readNumbers(outcome: readonly unknown[], names: readonly string[], expected: Expected): Numbers {
  const width = Math.max(1, names.length);
  const values = new Float64Array(expected.personas * width).fill(Number.NaN);
  const errors = readEach(outcome, expected, (prediction, row) => {
    if (names.length === 0) {
      values[row] = numberOf(prediction.value, row);
      return;
    }
    const own = prediction.values;
    if (!isObject(own) || Object.keys(own).length !== names.length)
      throw otherKind(row, `has not the numbers ${sanitize(names.join(', '))}`);
    for (const [index, name] of names.entries()) values[row * width + index] = numberOf(own[name], row);
  });
  return { kind: 'numbers', names, values, errors };
}

/** A number; null, which JSON has in place of NaN, becomes NaN, so its row will be rejected. */
function numberOf(value: unknown, row: number): number {
  if (value === null) return Number.NaN;
  if (typeof value !== 'number') throw otherKind(row, 'has a value that is not a number');
  return value;
}

/** Names in the order of the output, else sorted by code point, as classes are. */
function namesOf(values: unknown, { predictionType }: Expected): readonly string[] {
  const names = isObject(values) ? Object.keys(values).sort(codePointOrder) : [];
  if (names.length === 0) throw new InvalidResponse('prediction 1 has no numbers');
  if (names.length > MAX_CLASSES)
    throw new InvalidResponse(
      `a prediction has ${countOf(names.length, 'number')}; the limit is ${counted(MAX_CLASSES)}`,
    );
  if (predictionType?.kind !== 'numbers') return names;
  const isSame = isDeepStrictEqual(names, predictionType.names.toSorted(codePointOrder));
  return isSame ? predictionType.names : names;
}

/** Reads each prediction; returns the errors that stand in place of one. */
function readEach(
  outcome: readonly unknown[],
  { personas }: Expected,
  read: (prediction: Record<string, unknown>, row: number) => void,
): Map<number, ServiceError> {
  checkCount(outcome.length, personas);
  const errors = new Map<number, ServiceError>();
  for (const [row, prediction] of outcome.entries()) {
    if (!isObject(prediction)) throw otherKind(row, 'is not an object');
    if (isObject(prediction.error)) errors.set(row, errorOf(prediction.error));
    else read(prediction, row);
  }
  return errors;
}

/** A code is a key of counters, so any other text is replaced by `error`. */
function errorOf({ code, message }: Record<string, unknown>): ServiceError {
  const isCode = typeof code === 'string' && /^[A-Za-z0-9][\w.-]{0,40}$/.test(code);
  return { code: isCode ? code : 'error', message: sanitize(String(message)) };
}

const otherKind = (row: number, what: string): InvalidResponse =>
  new InvalidResponse(`prediction ${row + 1} ${what}`);
