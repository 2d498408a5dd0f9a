import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { sharedFolderAt } from '../../../src/storage/backends.ts';
import { isMissing } from '../../../src/storage/local/missing.ts';
import { objectPattern, prefixOf } from '../../../src/storage/objects/object-backend.ts';
import type { SharedFolder } from '../../../src/storage/shared-folder.ts';
import { withObjectStore } from '../../support/object-store/object-backend.ts';
import { type ObjectService, startObjectService } from '../../support/object-store/object-service.ts';

const urls = [
  's3://b/in/2026-11-20/a.csv',
  's3://b/in/2026-11-20/b.csv.gz',
  's3://b/in/2026-11-20/deep/c.csv.gz',
  's3://b/in/2026-11-21/d.csv.gz',
  's3://b/in/.hidden.csv',
  's3://b/in/(x)+%20/e.csv',
];

const matching = (pattern: string): string[] => urls.filter(objectPattern(pattern));

describe('a pattern of objects', () => {
  it('has a star that stops at a slash, and a double one that does not', () => {
    assert.deepEqual(matching('s3://b/in/2026-11-20/*.csv.gz'), [urls[1]]);
    assert.deepEqual(matching('s3://b/in/2026-11-20/**/*.csv.gz'), [urls[1], urls[2]]);
    assert.deepEqual(matching('s3://b/in/2026-11-*/*.csv.gz'), [urls[1], urls[3]]);
    assert.deepEqual(matching('s3://b/**/?.csv'), [urls[0], urls[5]]);
    assert.deepEqual(matching('s3://b/in/2026-11-2[01]/{a,d}.csv*'), [urls[0], urls[3]]);
  });

  it('matches names that begin with a dot, because nothing is hidden in a store', () => {
    assert.deepEqual(matching('s3://b/in/*.csv'), [urls[4]]);
  });

  it('is literal before its first special character', () => {
    assert.deepEqual(matching('s3://b/in/(x)+%20/*.csv'), [urls[5]]);
    assert.equal(prefixOf('s3://b/in/2026-11-*/x'), 's3://b/in/2026-11-');
  });
});

const layout = { folders: ['leases', 'parts'], files: ['plan.json'], marker: 'plan.json' };

async function opened(t: TestContext): Promise<{ service: ObjectService; folder: SharedFolder }> {
  const service = await startObjectService(t);
  const folder = sharedFolderAt(service.nameOf('/run'), layout, withObjectStore(service.endpoint));
  return { service, folder };
}

describe('a folder of objects', () => {
  it('has each file created once, replaced and listed', async t => {
    const { folder } = await opened(t);
    assert.equal(await folder.read('plan.json'), undefined);
    assert.equal(await folder.create('plan.json', 'plan'), true);
    const created = ['a', 'b', 'c'].map(text => folder.create('leases/1.json', text));
    assert.equal((await Promise.all(created)).filter(Boolean).length, 1);
    await folder.create('leases/0.json', '');
    await folder.replace('leases/1.json', 'next');
    assert.equal(await folder.read('leases/1.json'), 'next');
    assert.deepEqual(await folder.list('leases'), ['0.json', '1.json']);
    assert.deepEqual(await folder.list('parts'), []);
    assert.ok((await folder.modified('leases/1.json')) instanceof Date);
    assert.equal(await folder.modified('leases/2.json'), undefined);
    await folder.remove('leases/1.json');
    assert.deepEqual(await folder.list('leases'), ['0.json']);
  });

  it('knows that it created a file although the response was lost', async t => {
    const { service, folder } = await opened(t);
    await folder.create('plan.json', 'plan');
    let lost = 0;
    service.hooks.after = ({ text }) => {
      if (text === 'PUT /run/leases/1.json' && lost++ === 0) throw new Error('lost');
    };
    assert.equal(await folder.create('leases/1.json', 'mine'), true);
    assert.equal(await folder.create('leases/1.json', 'other'), false);
    assert.equal(lost, 1);
  });

  it('leaves nothing when it is discarded, unfinished uploads included', async t => {
    const { service, folder } = await opened(t);
    await folder.create('plan.json', 'plan');
    const backend = withObjectStore(service.endpoint, { maxOutage: 0 }).get('s3');
    const { durable } = (await backend?.resolveTarget(service.nameOf('/run/parts/0.csv'), false)) ?? {};
    const lock = await durable?.lock();
    const file = await durable?.open({ bytes: 0, tail: '' });
    await file?.append(Buffer.alloc(200_000));
    await durable?.checkpoint.replace(Buffer.from('x'));
    assert.deepEqual(service.uploads(), ['/run/parts/0.csv']);
    service.put('/run/in.csv', Buffer.from('not of the folder'));
    service.put('/run/partsother/0.csv', Buffer.from('nor this'));
    const removed: string[] = [];
    service.hooks.before = ({ text }) => {
      if (text.startsWith('DELETE') && !text.includes('?')) removed.push(text);
    };
    await folder.discard('plan.json');
    assert.deepEqual([...service.objects.keys()], ['/run/in.csv', '/run/partsother/0.csv']);
    assert.deepEqual(service.uploads(), []);
    assert.equal(removed.at(-1), 'DELETE /run/plan.json');
    await lock?.release();
    assert.equal(service.objects.size, 2, 'a process that comes back late leaves nothing');
  });

  it('need not have a file that is removed, also where the store says so', async t => {
    const { service, folder } = await opened(t);
    await folder.create('plan.json', 'plan');
    service.hooks.refuse = ({ text }) => (text.startsWith('DELETE') ? [404, 'NoSuchKey'] : undefined);
    await folder.remove('leases/1.json');
  });

  it('is not made again by a process that is late', async t => {
    const { service, folder } = await opened(t);
    for (const write of [folder.create, folder.replace])
      await assert.rejects(write('leases/1.json', 'late'), error => isMissing(error as Error));
    assert.equal(service.objects.size, 0);
  });
});
