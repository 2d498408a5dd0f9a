import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { servingPlatform, signIn } from '../support/web/platform.ts';

describe('the platform', () => {
  it('opens with the sign-in URL', async t => {
    const browser = await signIn(await servingPlatform(t));
    assert.match(await browser.page('/'), /<h1/);
  });
});
