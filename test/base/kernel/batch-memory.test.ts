import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { BatchMemory } from '../../../src/base/kernel/batch-memory.ts';
import { root } from '../../support/root.ts';

describe('the memory of the kernel', () => {
  it('keeps copies of arrays, also when it grows for a batch', () => {
    const memory = BatchMemory.create();
    assert.ok(memory);
    const bins = memory.keep(Uint16Array.of(1, 2, 3));
    const sums = memory.keep(Float64Array.of(0.5, -0.25));
    const before = memory.buffer.byteLength;
    for (let batch = 0; batch < 3; batch++) {
      memory.clear();
      const at = memory.reserve(before);
      new Uint8Array(memory.buffer, at, before).fill(255);
    }
    assert.ok(memory.buffer.byteLength > before);
    assert.deepEqual(new Uint16Array(memory.buffer, bins, 3), Uint16Array.of(1, 2, 3));
    assert.deepEqual(new Float64Array(memory.buffer, sums, 2), Float64Array.of(0.5, -0.25));
  });

  it('is used again by the next batch', () => {
    const memory = BatchMemory.create();
    assert.ok(memory);
    memory.keep(Uint8Array.of(1));
    const first = memory.reserve(100);
    assert.notEqual(memory.reserve(100), first);
    memory.clear();
    assert.equal(memory.reserve(100), first);
  });

  describe('is undefined, not an error,', () => {
    const script = `
      const { BatchMemory } = await import(${JSON.stringify(join(root, 'dist/src/base/kernel/batch-memory.js'))});
      const all = Array.from({ length: 4 }, () => BatchMemory.create());
      console.log(all.length, all.at(-1));`;
    const run = ['--input-type=module', '-e', script];

    it('if there are no addresses left', { skip: process.platform === 'win32' }, async () => {
      const limited = ['-c', 'ulimit -v 20000000; exec "$0" "$@"', process.execPath, ...run];
      const { stdout } = await promisify(execFile)('sh', limited);
      assert.equal(stdout, '4 undefined\n');
    });

    it('if V8 compiles nothing', async () => {
      const { stdout } = await promisify(execFile)(process.execPath, ['--jitless', ...run]);
      assert.equal(stdout, '4 undefined\n');
    });

    it('on a processor without SIMD', { skip: process.arch !== 'x64' }, async () => {
      const { stdout } = await promisify(execFile)(process.execPath, ['--no-enable-sse4-1', ...run]);
      assert.equal(stdout, '4 undefined\n');
    });
  });
});
