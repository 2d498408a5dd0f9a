import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { isOwn } from '../../../src/storage/stores/google/google-store.ts';
import { refusedMeanwhile, storeBench } from '../../support/object-store/scored-in-store.ts';

describe('Google Cloud Storage', () => {
  it('gives its token to its own hosts only, and never over http', () => {
    for (const own of [
      'https://storage.googleapis.com',
      'https://storage.europe-west3.rep.googleapis.com',
      'https://storage-vpc.p.googleapis.com',
    ])
      assert.ok(isOwn(new URL(own)), own);
    for (const foreign of [
      'http://storage.googleapis.com',
      'http://127.0.0.1:4443',
      'https://storage.googleapis.com.evil.example',
      'https://evil.example/storage.googleapis.com',
      'https://storage.googleapis.com@evil.example',
      'https://storagegoogleapis.com',
      'https://storage.a.b.rep.googleapis.com',
      'https://iam.googleapis.com',
      'https://storage.googleapis.com/storage/v1/b',
    ])
      assert.ok(!isOwn(new URL(foreign)), foreign);
  });

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

  it('has objects with the metadata Content-Encoding: gzip, which are read as they are stored', async t => {
    const bench = await storeBench(t);
    const wanted = await bench.wanted('out.csv');
    bench.service.hooks.isGoogle = true;
    bench.service.hooks.encoded = '/in.csv';
    bench.service.put('/in.csv', gzipSync(readFileSync(bench.options.input)));
    const input = bench.service.nameOf('/in.csv').replace(/^\w+/, 'gs');
    await bench.run('/out.csv', { scheme: 'gs', values: { input } });
    assert.deepEqual(bench.written('/out.csv'), wanted);
  });

  it('is written by one process at a time', async t => {
    const bench = await storeBench(t);
    bench.service.hooks.isGoogle = true;
    await refusedMeanwhile(bench, '/out.csv', '/out.csv', { scheme: 'gs' });
  });
});
