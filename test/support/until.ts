import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';

/** Waits for what happens sooner or later, such as that a service notices what a client has done. */
export async function until(
  isTrue: () => boolean | Promise<boolean>,
  what = 'what the test waits for',
): Promise<void> {
  const end = performance.now() + 120_000;
  while (!(await isTrue())) {
    assert.ok(performance.now() < end, `it did not happen: ${what}`);
    await sleep(10);
  }
}
