/**
 * Why a key was refused more than others are left: the rate of its requests or rows, its share of what keys share, or an
 * upload below the minimum rate.
 */
export type Refusal = keyof typeof texts;

const texts = {
  request_rate: 'requests over the rate limit',
  row_rate: 'requests over the limit of rows',
  requests: 'requests over the share of a key',
  uploads: 'uploads over the share of a key',
  bodies: 'bodies over the share of a key',
  spill: 'responses over the limit of disk',
  slow_upload: 'uploads below the minimum rate',
} as const;

// `Object.keys` says no more than string.
export const refusals = Object.keys(texts) as Refusal[];

/** For the log: the refusals since its last line. */
export function describeRefusals(counts: Partial<Record<Refusal, number>>): string {
  const parts = refusals.flatMap(refusal => {
    const count = counts[refusal];
    return count === undefined ? [] : [`${texts[refusal]} (${count})`];
  });
  return `refused or cut off: ${parts.join(', ')}`;
}
