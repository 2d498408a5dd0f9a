/** What a service tells of its own limit: so many calls in each window of so many seconds. */
export interface Quota {
  /** Calls that are left in this window. */
  remaining: number;
  /** Seconds until the next window; mostly whole ones, rounded up or down. */
  reset: number;
  /** Calls in a window, where it is told. */
  limit: number | undefined;
  /** Seconds of a window, where they are told. */
  window: number | undefined;
}

export type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** A reset that large is no duration but a date, in seconds since 1970; a still larger one in milliseconds. */
const MIN_DATE_SECONDS = 1e9;
const MIN_DATE_MS = 1e11;

/**
 * The quota that an answer's headers tell, in the forms in use: `RateLimit` with `RateLimit-Policy`
 * (draft-ietf-httpapi-ratelimit-headers-07 and later), `RateLimit-Limit`, `-Remaining` and `-Reset` (-06 and
 * before), and the latter after `X-`. Of several, that which leaves the fewest calls.
 *
 * @param now milliseconds since 1970
 */
export function readQuota(headers: Headers, now: number): Quota | undefined {
  const header = (name: string): string => {
    const value = headers[`ratelimit${name}`] ?? headers[`x-ratelimit${name}`] ?? '';
    return Array.isArray(value) ? value.join(', ') : value;
  };
  const policies = header('-policy').split(',');
  const quotas = header('')
    .split(/,(?!\s*(?:limit|remaining|reset)=)/) // one limit of three members, in -07
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
  let least: Quota | undefined;
  for (const { remaining, reset, ...rest } of quotas)
    if (remaining !== undefined && reset !== undefined && remaining < (least?.remaining ?? Infinity))
      least = { remaining, reset: duration(reset, now), ...rest };
  return least;
}

/** Seconds until a reset. */
function duration(reset: number, now: number): number {
  if (reset < MIN_DATE_SECONDS) return reset;
  return Math.max(0, (reset < MIN_DATE_MS ? reset : reset / 1000) - now / 1000);
}

/** The number after `name=`. */
function member(text: string, name: string): number | undefined {
  const [, digits] = new RegExp(`(?:^|[;,\\s])${name}=(\\d+)`).exec(text) ?? [];
  return digits === undefined ? undefined : Number(digits);
}

/** The number that a text begins with. */
function leadingNumber(text: string): number | undefined {
  const [, digits] = /^\s*(\d+)/.exec(text) ?? [];
  return digits === undefined ? undefined : Number(digits);
}

/** In shorter windows whole seconds say too little of what is left of one. */
const MIN_SPREAD_SECONDS = 30;
/** Share of a limit that is kept free, for calls arrive unevenly. */
const SPARE = 0.02;

/** A rate, and how long it holds. */
export interface EvenRate {
  /** Calls a second. */
  rate: number;
  seconds: number;
}

/**
 * The rate that spreads a quota evenly over its window.
 *
 * @param window seconds of the window: as told, or the longest reset that was seen
 * @param others calls under way, which the quota may not have counted yet
 * @param longest seconds between two calls, however little is left
 * @returns undefined where the quota does not say
 */
export function evenRate(
  { remaining, reset, limit }: Quota,
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
