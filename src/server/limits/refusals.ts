/**
 * Why a request was rejected or aborted: its key exceeded a rate limit or its share of a common resource, or its
 * upload was below the minimum rate.
 */
export type Refusal = keyof typeof texts;

const texts = {
  request_rate: 'requests over the rate limit',
  row_rate: 'requests over the row rate limit',
  requests: 'requests over the key’s share of concurrent requests',
  uploads: 'uploads over the key’s share of upload slots',
  memory: 'requests over the key’s share of memory',
  spill: 'responses over the disk limit',
  slow_upload: 'uploads below the minimum rate',
} as const;

// `Object.keys` is typed as string[].
export const refusals = Object.keys(texts) as Refusal[];

/** The log message for the refusals since the previous one. */
export function describeRefusals(counts: Partial<Record<Refusal, number>>): string {
  const parts = refusals.flatMap(refusal => {
    const count = counts[refusal];
    return count === undefined ? [] : [`${texts[refusal]} (${count})`];
  });
  return `rejected or aborted: ${parts.join(', ')}`;
}
