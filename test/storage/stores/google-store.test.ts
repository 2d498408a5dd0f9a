import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { storeBench } from '../../support/object-store/scored-in-store.ts';

describe('Google Cloud Storage', () => {
  it('is written through its XML API: conditions are generations, and no header is of S3', async t => {
    const bench = await storeBench(t, 600);
    const wanted = await bench.wanted('out.csv');
    bench.service.hooks.isGoogle = true;
    let conditional = 0;
    bench.service.hooks.before = ({ text }) => void (text === 'PUT /out.csv.checkpoint' && conditional++);
    await bench.run('/out.csv', { scheme: 'gs' });
    assert.deepEqual(bench.written('/out.csv'), wanted);
    assert.deepEqual(bench.service.uploads(), []);
    assert.ok(conditional > 2);
  });

  it('is written by one process at a time', async t => {
    const bench = await storeBench(t);
    bench.service.hooks.isGoogle = true;
    let second: Promise<unknown> | undefined;
    bench.service.hooks.before = ({ text }) => {
      if (text === 'POST /out.csv?uploads')
        second ??= assert.rejects(bench.run('/out.csv', { scheme: 'gs' }), { code: 'locked' });
    };
    await bench.run('/out.csv', { scheme: 'gs' });
    assert.ok(second);
    await second;
  });
});
