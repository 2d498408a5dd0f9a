import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fetchChecked, problemOf } from '../../support/service/client.ts';
import { servingPlatform, signInWithKey } from '../../support/web/platform.ts';

describe('the limit of requests per second', () => {
  it('is one budget of a key, for the API and for the sessions that it has signed in', async t => {
    const target = await servingPlatform(t, { maxRequestsPerSecond: 1_000 });
    const browser = await signInWithKey(target, 'ann');
    const headers = { authorization: `ApiKey ${browser.key}` };
    let left: number[] = [];
    // Two requests that happen to be in two different seconds show nothing.
    for (let tries = 0; tries < 50 && new Set(left).size < 2; tries++) {
      const responses = await Promise.all([
        fetchChecked(`${target.url}/user/report/none`, { headers }),
        browser.fetch('/runs'),
      ]);
      left = responses.map(response => Number(response.headers.get('ratelimit-remaining') ?? 'none'));
    }
    assert.deepEqual(
      left.toSorted((a, b) => b - a),
      [Math.max(...left), Math.max(...left) - 1],
    );
  });

  it('refuses pages and what they call', async t => {
    const target = await servingPlatform(t, { maxRequestsPerSecond: 2 });
    const browser = await signInWithKey(target, 'ann');
    const responses = await Promise.all(
      Array.from({ length: 12 }, () => browser.fetch('/platform/runs/x/events')),
    );
    const refused = responses.filter(({ status }) => status === 429);
    assert.ok(refused.length > 0 && refused.length < responses.length, `${refused.length} are refused`);
    assert.equal(await problemOf(refused[0] ?? new Response()), '429 rate_limited');
    const pages = await Promise.all(
      Array.from({ length: 12 }, () => browser.fetch('/runs', { headers: { accept: 'text/html' } })),
    );
    const texts = await Promise.all(pages.filter(({ status }) => status === 429).map(page => page.text()));
    assert.match(texts[0] ?? '', /<h1>Too many requests<\/h1>[\s\S]*Wait a moment/);
  });
});
