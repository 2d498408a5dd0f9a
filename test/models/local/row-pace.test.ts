import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { alone } from '../../../src/base/contract/shared-pace.ts';
import { RowPace } from '../../../src/models/local/row-pace.ts';

const { signal } = new AbortController();

/** Milliseconds until batches of 100 rows were let through. */
async function timeOf(pace: RowPace, batches: number): Promise<number> {
  const begun = performance.now();
  await Promise.all(Array.from({ length: batches }, () => pace.next(100, signal)));
  return performance.now() - begun;
}

describe('the pace of local scoring', { concurrency: true }, () => {
  it('lets no more rows through than it may', async () => {
    const took = await timeOf(new RowPace(5_000), 26);
    assert.ok(took >= 470, `25 intervals of 20 ms took ${took} ms`);
  });

  it('is a part of the limit of all processes', async () => {
    const shared = { limits: () => ({ ...alone, rows: 20_000, share: 0.25 }), tell() {} };
    const took = await timeOf(new RowPace(undefined, shared), 26);
    assert.ok(took >= 470, `25 intervals of 20 ms took ${took} ms`);
  });

  it('lets nothing through while a process has no share', async () => {
    const begun = performance.now();
    const limits = (now: number) => ({ ...alone, share: now < begun + 300 ? 0 : 1 });
    assert.ok((await timeOf(new RowPace(undefined, { limits, tell() {} }), 3)) >= 295);
  });

  it('ends the waiting of an aborted batch, which does not delay the next one', async () => {
    const pace = new RowPace(1_000);
    await pace.next(100, signal);
    const aborted = new AbortController();
    const refused = assert.rejects(pace.next(100, aborted.signal), { name: 'AbortError' });
    const next = pace.next(100, signal);
    aborted.abort();
    await refused;
    await next;
  });
});
