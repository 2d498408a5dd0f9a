import { createHistogram } from 'node:perf_hooks';
import type { CallStatistics } from '../../base/contract/call-statistics.ts';
import type { Features } from '../../base/contract/schemas.ts';
import { contractWire } from '../../base/contract/wire-names.ts';
import { RowcastError } from '../../base/errors.ts';
import { unlessStopped } from '../../base/interrupted.ts';
import { failureTable } from '../../client/failure-table.ts';
import { InvalidResponse } from '../../client/invalid-response.ts';
import { parsePredictions } from '../../client/protocols/report/parse-predictions.ts';
import { parseReport } from '../../client/protocols/report/parse-report.ts';
import type { BatchService } from '../../client/scorer/http-scorer.ts';
import { CallError } from '../../scoring/failures/call-error.ts';
import { ServiceAvailability } from '../../scoring/failures/service-availability.ts';
import type { Scorer } from '../scorer.ts';

export interface OwnScorerOptions {
  /** How often it is called at once. */
  concurrency: number;
  /** In seconds. */
  maxOutage: number;
  onRetry?: ((failure: CallError, wait: number) => void) | undefined;
}

/**
 * An object of the caller as a service: its batches are those that a service would get, and its answers are checked alike.
 *
 * @throws RowcastError `bad_option` if it lacks a member
 */
export function ownService(
  scorer: Scorer,
  { concurrency, maxOutage, onRetry }: OwnScorerOptions,
): BatchService {
  checkScorer(scorer);
  const statistics: CallStatistics = {
    calls: 0,
    inFlight: 0,
    retries: new Map(),
    latency: createHistogram(),
  };
  return {
    name: scorer.name,
    wire: contractWire,
    statistics,
    concurrency,
    retryPolicy: {
      table: failureTable,
      maxOutage,
      availability: new ServiceAvailability(),
      pause() {},
      onRetry(failure, wait) {
        statistics.retries.set(failure.code, (statistics.retries.get(failure.code) ?? 0) + 1);
        onRetry?.(CallError.from(failure), wait);
      },
    },
    async report(id) {
      const request = `report() of ${scorer.name}`;
      const said = await calling(request, async () =>
        bytesOf({ tech_specs: {}, drivers: [], ...(await scorer.report(id)) }),
      );
      return valid(request, () => parseReport(said, id));
    },
    confirm: () => true,
    async checkAllWritten() {},
    async tryBatch(body, expected, signal) {
      // Written by `scoring/http`, from personas of these members.
      const { personas } = JSON.parse(body.toString()) as { personas: { features: Features }[] };
      const batch = { report: expected.report ?? '', personas: personas.map(({ features }) => features) };
      const begun = performance.now();
      statistics.calls++;
      statistics.inFlight++;
      const request = `score() of ${scorer.name}`;
      // It may not notice that the run was stopped.
      const answer = await calling(request, async () =>
        JSON.stringify({ predictions: await unlessStopped(scorer.score(batch, signal), signal) }),
      ).finally(() => {
        statistics.inFlight--;
      });
      statistics.latency.record(Math.max(1, Math.round(performance.now() - begun)));
      return valid(request, () => parsePredictions(answer, { ...expected, wire: contractWire }));
    },
  };
}

const bytesOf = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));

function checkScorer(given: Scorer): void {
  const { name, report, score }: { [member in keyof Scorer]?: unknown } = given ?? {};
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

/** What the scorer does. An error that may go away is treated like a service that is down; any other one stops the run. */
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
