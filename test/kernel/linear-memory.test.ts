import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { LinearMemory } from '../../src/kernel/linear-memory.ts';
import { root } from '../support/root.ts';

describe('the memory of WebAssembly', () => {
  it('has copies of the arrays at their addresses', () => {
    const layout = new LinearMemory();
    const bins = layout.put(Uint16Array.of(1, 2, 3));
    const zeros = layout.reserve(3);
    const sums = layout.put(Float64Array.of(0.5, -0.25));
    const memory = layout.build();
    assert.ok(memory);
    assert.deepEqual(new Uint16Array(memory.buffer, bins, 3), Uint16Array.of(1, 2, 3));
    assert.deepEqual(new Uint8Array(memory.buffer, zeros, 3), new Uint8Array(3));
    assert.deepEqual(new Float64Array(memory.buffer, sums, 2), Float64Array.of(0.5, -0.25));
  });

  it('is undefined if it would be too large', () => {
    const layout = new LinearMemory();
    layout.reserve(2 ** 40);
    assert.equal(layout.build(), undefined);
  });

  it('is undefined, not an error, if there are no addresses left', {
    skip: process.platform === 'win32',
  }, async () => {
    const script = `
      const { LinearMemory } = await import(${JSON.stringify(join(root, 'dist/src/kernel/linear-memory.js'))});
      const kept = Array.from({ length: 4 }, () => new LinearMemory()).map(layout => {
        layout.reserve(8);
        return layout.build();
      });
      console.log(kept.length);`;
    const limited = [
      '-c',
      'ulimit -v 20000000; exec "$0" --input-type=module -e "$1"',
      process.execPath,
      script,
    ];
    const { stdout } = await promisify(execFile)('sh', limited);
    assert.equal(stdout, '4\n');
  });
});
