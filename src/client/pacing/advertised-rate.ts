import type { Learned } from '../../base/contract/shared-pace.ts';
import { evenRate, type Headers, readQuota } from './rate-limit-headers.ts';

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
