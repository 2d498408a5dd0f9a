import assert from 'node:assert/strict';
import { it } from 'node:test';
import { backendsFor, openSource } from '../../../src/storage/backends.ts';
import { startObjectService } from '../../support/object-store/object-service.ts';

// The environment of a machine without any credentials: this file has a process of its own.
for (const name of Object.keys(process.env)) if (/^(AWS|GOOGLE|AZURE)_/.test(name)) delete process.env[name];
Object.assign(process.env, { HOME: '/nonexistent', AWS_EC2_METADATA_DISABLED: 'true' });

it('public objects are read without any credentials', async t => {
  const service = await startObjectService(t);
  service.put('/in.csv', Buffer.from('a\n1\n'));
  const { endpoint } = service;
  for (const [scheme, isGoogle] of [
    ['s3', false],
    ['gs', true],
  ] as const) {
    service.hooks.isGoogle = isGoogle;
    const among = backendsFor({ maxOutage: 0, options: { endpoint, unsigned: true } });
    const source = await openSource(`${scheme}://bucket/in.csv`, false, undefined, among);
    assert.equal(source.version.size, 4);
    source.close();
  }
  const signed = backendsFor({ maxOutage: 0, options: { endpoint } });
  await assert.rejects(openSource('s3://bucket/in.csv', false, undefined, signed), {
    code: 'no_store_credentials',
    exitCode: 2,
  });
});
