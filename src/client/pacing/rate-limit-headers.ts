import type { Learned } from '../../base/contract/shared-pace.ts';

/** A rate limit advertised by a service: a number of requests per window. */
export interface AdvertisedQuota {
  /** Requests left in this window. */
  remaining: number;
  /** Seconds until the next window; usually an integer, rounded up or down. */
  reset: number;
  /** Requests per window, if advertised. */
  limit: number | undefined;
  /** Length of a window in seconds, if advertised. */
  window: number | undefined;
}

export type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** A reset of this size is a Unix time in seconds instead of a duration; a still larger one is in milliseconds. */
const MIN_DATE_SECONDS = 1e9;
const MIN_DATE_MS = 1e11;

/**
 * Parses the rate-limit headers of a response, in the forms in use: `RateLimit` with `RateLimit-Policy`
 * (draft-ietf-httpapi-ratelimit-headers-07 and later), `RateLimit-Limit`, `-Remaining` and `-Reset` (-06 and
 * before), and the latter with the prefix `X-`. Of several quotas, the one with the fewest requests left applies.
 *
 * @param now milliseconds since 1970
 */
export function readQuota(headers: Headers, now: number): AdvertisedQuota | undefined {
  const header = (name: string): string => {
    const value = headers[`ratelimit${name}`] ?? headers[`x-ratelimit${name}`] ?? '';
    return Array.isArray(value) ? value.join(', ') : value;
  };
  const policies = header('-policy').split(',');
  const quotas = header('')
    .split(/,(?!\s*(?:limit|remaining|reset)=)/) // a single limit with three members, in draft 07
    .map(item => {
      const [name = ''] = item.split(';');
      const policy = policies.find(each => each.trim().startsWith(name.trim())) ?? '';
      return {
        remaining: member(item, 'r') ?? member(item, 'remaining'),
        reset: member(item, 't') ?? member(item, 'reset'),
        limit: member(policy, 'q') ?? member(item, 'limit'),
        window: member(policy, 'w') ?? member(policies[0] ?? '', 'w'),
      };
    });
  quotas.push({
    remaining: leadingNumber(header('-remaining')),
    reset: leadingNumber(header('-reset')),
    limit: leadingNumber(header('-limit')),
    window: member(header('-limit'), 'w') ?? member(policies[0] ?? '', 'w'),
  });
  let least: AdvertisedQuota | undefined;
  for (const { remaining, reset, ...rest } of quotas)
    if (remaining !== undefined && reset !== undefined && remaining < (least?.remaining ?? Infinity))
      least = { remaining, reset: duration(reset, now), ...rest };
  return least;
}

/** Seconds until a reset, from a duration or a date. */
function duration(reset: number, now: number): number {
  if (reset < MIN_DATE_SECONDS) return reset;
  return Math.max(0, (reset < MIN_DATE_MS ? reset : reset / 1000) - now / 1000);
}

/** The number after `name=`. */
function member(text: string, name: string): number | undefined {
  const [, digits] = new RegExp(`(?:^|[;,\\s])${name}=(\\d+)`).exec(text) ?? [];
  return digits === undefined ? undefined : Number(digits);
}

/** The number at the beginning of a text. */
function leadingNumber(text: string): number | undefined {
  const [, digits] = /^\s*(\d+)/.exec(text) ?? [];
  return digits === undefined ? undefined : Number(digits);
}

/** In shorter windows, a reset in whole seconds is too coarse to spread the remaining requests. */
const MIN_SPREAD_SECONDS = 30;
/** Share of a limit that is left unused, because requests arrive unevenly. */
const SPARE = 0.02;

/** A rate, and how long it holds. */
export interface EvenRate {
  /** Requests per second. */
  rate: number;
  seconds: number;
}

/**
 * The rate that spreads a quota evenly over its window.
 *
 * @param window length of the window in seconds: as advertised, or the longest reset seen
 * @param others requests in flight that the quota may not have counted yet
 * @param longest maximum number of seconds between two requests, however few are left
 * @returns undefined if the quota does not determine a rate
 */
export function evenRate(
  { remaining, reset, limit }: AdvertisedQuota,
  window: number,
  others: number,
  longest: number,
): EvenRate | undefined {
  if (window > MIN_SPREAD_SECONDS) {
    const seconds = reset + 1; // it may have been rounded down
    const left = Math.max(0, remaining - others);
    return { rate: left === 0 ? 0 : Math.max(left / seconds, 1 / longest), seconds };
  }
  if (limit === undefined) return undefined;
  return { rate: (limit * (1 - SPARE)) / Math.max(1, window), seconds: Number.POSITIVE_INFINITY };
}

/** Longest gap between requests when a quota is spread evenly (or `maxOutage`, if longer): headers may be misread. */
const MAX_GAP_SECONDS = 60;

/** The request rate that follows from the service's headers. */
export class AdvertisedRate {
  /** Requests per second, valid until the quota is reset. */
  #rate = Number.POSITIVE_INFINITY;
  #until = Number.POSITIVE_INFINITY;
  /** Length of the service's rate-limit window in seconds, as advertised or observed. */
  #window = 0;

  /** What the headers say at this time; undefined if nothing. */
  at(now: number): NonNullable<Learned['advertised']> | undefined {
    if (now >= this.#until || this.#rate === Number.POSITIVE_INFINITY) return undefined;
    const isLasting = this.#until === Number.POSITIVE_INFINITY;
    return { rate: this.#rate, seconds: isLasting ? null : (this.#until - now) / 1000 };
  }

  /**
   * Reads the headers of a response.
   *
   * @param inFlight other requests, which the quota may not have counted yet
   * @param maxOutage longest time in seconds to wait for a quota to be reset
   */
  update(
    headers: Headers,
    { now, inFlight, maxOutage }: { now: number; inFlight: number; maxOutage: number },
  ): void {
    const quota = readQuota(headers, Date.now());
    if (quota === undefined) return;
    this.#window = quota.window ?? Math.max(this.#window, quota.reset);
    const even = evenRate(quota, this.#window, inFlight, Math.max(MAX_GAP_SECONDS, maxOutage));
    if (even === undefined) return;
    const seconds = Math.min(even.seconds, even.rate === 0 ? maxOutage : even.seconds);
    this.#rate = even.rate;
    this.#until = now + seconds * 1000;
  }
}
