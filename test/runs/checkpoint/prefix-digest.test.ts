import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { BLOCK_BYTES, PrefixDigest } from '../../../src/runs/checkpoint/prefix-digest.ts';

const pattern = Uint8Array.from({ length: 251 }, (_, at) => at);
const bytesOf = (length: number): Buffer => Buffer.alloc(length, pattern);

/** Digests bytes that arrive in chunks of this size. */
function digest(bytes: Buffer, chunk = bytes.length): PrefixDigest {
  const digest = new PrefixDigest();
  for (let at = 0; at < bytes.length; at += chunk) digest.update(bytes.subarray(at, at + chunk));
  return digest;
}

const sizes = [0, 1, BLOCK_BYTES - 1, BLOCK_BYTES, BLOCK_BYTES + 1, 2 * BLOCK_BYTES, 2.5 * BLOCK_BYTES];

describe('the digest of a prefix', () => {
  it('is a chain of SHA-256 over blocks', () => {
    const bytes = bytesOf(BLOCK_BYTES + 5);
    const first = createHash('sha256').update(bytes.subarray(0, BLOCK_BYTES)).digest();
    const both = createHash('sha256').update(first).update(bytes.subarray(BLOCK_BYTES)).digest('hex');
    assert.deepEqual(digest(bytes).state(), {
      offset: bytes.length,
      blocks: first.toString('hex'),
      digest: both,
    });
  });

  it('does not depend on the chunks in which the bytes arrive', () => {
    for (const size of sizes) {
      const bytes = bytesOf(size);
      for (const chunk of [65_536, 100_003, BLOCK_BYTES])
        assert.deepEqual(digest(bytes, chunk).state(), digest(bytes).state(), `${size} in ${chunk}`);
    }
  });

  it('comes out the same when it is resumed and the last block is read again', () => {
    for (const size of sizes) {
      const bytes = bytesOf(size);
      const state = digest(bytes).state();
      const at = PrefixDigest.resumesAt(state);
      assert.ok(size - at <= BLOCK_BYTES && (size === 0 || at < size), `${size} at ${at}`);
      const resumed = PrefixDigest.resume(state);
      resumed.update(bytes.subarray(at));
      assert.deepEqual(resumed.state(), state, `${size}`);
      resumed.update(bytesOf(10));
      assert.deepEqual(resumed.state(), digest(Buffer.concat([bytes, bytesOf(10)])).state(), `${size}`);
    }
  });

  it('differs if a byte of the last block has changed', () => {
    const bytes = bytesOf(BLOCK_BYTES + 10);
    const state = digest(bytes).state();
    const resumed = PrefixDigest.resume(state);
    const again = Buffer.from(bytes.subarray(PrefixDigest.resumesAt(state)));
    again[3] = 255;
    resumed.update(again);
    assert.notEqual(resumed.state().digest, state.digest);
  });
});
