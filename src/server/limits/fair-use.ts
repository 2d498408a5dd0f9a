import type { FastifyReply, FastifyRequest } from 'fastify';
import { RequestError } from '../problems/problems.ts';
import type { Limits } from '../service-limits.ts';
import { Turns } from './fair-turns.ts';
import type { Refusal } from './refusals.ts';
import { RowRate } from './row-rate.ts';
import { keyOf, openShares, type Shares } from './shares.ts';

export interface FairUseOptions {
  limits: Limits;
  /** Rows per second for each key; no limit if omitted. */
  maxRowsPerSecond: number | undefined;
  onRefused(refusal: Refusal): void;
}

/** Keeps one key from monopolizing the service: shares of common resources, a row rate limit, and round-robin turns. */
export class FairUse {
  readonly shares: Shares;
  readonly rowRate: RowRate;
  readonly turns = new Turns();
  readonly onRefused: (refusal: Refusal) => void;

  constructor({ limits, maxRowsPerSecond, onRefused }: FairUseOptions) {
    this.shares = openShares(limits, onRefused);
    this.rowRate = new RowRate(maxRowsPerSecond);
    this.onRefused = onRefused;
  }

  /** @throws RequestError `rate_limited` if the request's key has exceeded its row rate limit */
  checkRows(request: FastifyRequest, reply: FastifyReply): void {
    const seconds = this.rowRate.retryAfter(keyOf(request));
    if (seconds === 0) return;
    this.onRefused('row_rate');
    reply.header('retry-after', String(seconds));
    throw new RequestError(
      'rate_limited',
      `This key has exceeded its limit of ${this.rowRate.perSecond} rows per second.`,
    );
  }
}
