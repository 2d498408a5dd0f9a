import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SignInTokens } from '../../../src/web/session/sessions.ts';

const MINUTE = 60_000;

describe('tokens of sign-in URLs', () => {
  it('are valid once', () => {
    const tokens = new SignInTokens();
    const [one, two] = [tokens.create(), tokens.create()];
    assert.notEqual(one, two);
    assert.deepEqual([tokens.take(one), tokens.take(one), tokens.take(two)], [true, false, true]);
    assert.ok(!tokens.take(''));
    assert.ok(!tokens.take('x'.repeat(43)));
  });

  it('expire after 15 minutes', () => {
    let now = 0;
    const tokens = new SignInTokens(() => now);
    const [early, late] = [tokens.create(), tokens.create()];
    now = 15 * MINUTE - 1;
    assert.ok(tokens.take(early));
    now++;
    assert.ok(!tokens.take(late));
  });

  it('do not accumulate', () => {
    const tokens = new SignInTokens();
    const made = Array.from({ length: 40 }, () => tokens.create());
    assert.equal(made.filter(token => tokens.take(token)).length, 16);
  });
});
