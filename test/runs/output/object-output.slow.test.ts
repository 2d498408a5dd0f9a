import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { RunValues } from '../../../src/base/options/values/run-values.ts';
import { discardUnfinished } from '../../../src/runs/status/discard-run.ts';
import { readStatus } from '../../../src/runs/status/status.ts';
import { statusReport } from '../../../src/runs/status/status-report.ts';
import { thisProcess } from '../../../src/storage/local/locks/lock-holder.ts';
import { withObjectStore } from '../../support/object-store/object-backend.ts';
import { refusedMeanwhile, type StoreBench, storeBench } from '../../support/object-store/scored-in-store.ts';
import { slow } from '../../support/slow.ts';

/** Stops a run once a checkpoint has been saved and some parts are uploaded. */
async function stopped(
  { run, service }: StoreBench,
  key: string,
  values: Partial<RunValues> = {},
): Promise<void> {
  const stop = new AbortController();
  let parts = 0;
  service.hooks.after = ({ text }) => {
    if (text === `PUT ${key}?part`) parts++;
    if (text === `PUT ${key}.checkpoint` && parts >= 2) stop.abort('test');
  };
  await assert.rejects(run(key, { stop: stop.signal, values }), { name: 'Interrupted' });
  delete service.hooks.after;
}

/** Runs to the end, which leaves no upload. @returns the result of the run */
async function runWhole(bench: StoreBench, key: string, values: Partial<RunValues> = {}) {
  const result = await bench.run(key, { values });
  assert.deepEqual(bench.service.uploads(), []);
  return result;
}

describe('an output that is an object', { concurrency: true }, () => {
  for (const key of ['/out.csv', '/out.csv.gz']) {
    const quick = key === '/out.csv' ? it : slow;
    quick(`has the bytes that a file would have, and so have its rejects: ${key}`, async t => {
      const bench = await storeBench(t);
      const result = await runWhole(bench, key, { checksum: true });
      const wanted = await bench.wanted(key.slice(1));
      assert.deepEqual(bench.written(key), wanted);
      const sha256 = createHash('sha256')
        .update(wanted.get('') ?? '')
        .digest('hex');
      assert.equal(result?.checksums?.output, sha256);
      assert.ok((result?.rowCounts.rejected ?? 0) > 0);
    });

    quick(`is resumed by the same command, and nothing is visible until then: ${key}`, async t => {
      const bench = await storeBench(t, 1800);
      const wanted = await bench.wanted(key.slice(1));
      await stopped(bench, key);
      assert.deepEqual([...bench.written(key).keys()], ['.checkpoint']);
      const result = await runWhole(bench, key);
      assert.ok((result?.resumedFrom ?? 0) > 100, `resumed from ${result?.resumedFrom}`);
      assert.deepEqual(bench.written(key), wanted);
    });

    slow(`keeps the rejects that it had when it is resumed and there are no more: ${key}`, async t => {
      const bench = await storeBench(t);
      const input = join(bench.folder, 'first-rejected.csv');
      const rows = Array.from({ length: 900 }, () => `x,${randomBytes(2000).toString('hex')},note\n`);
      await writeFile(input, `id,plan,note\n1\n${rows.join('')}`);
      await stopped(bench, key, { input, features: ['id'] });
      const earlier = await readStatus(bench.service.nameOf(key), withObjectStore(bench.service.endpoint));
      await runWhole(bench, key, { input, features: ['id'] });
      assert.equal(earlier.saved?.checkpoint.rowCounts.rejected, 1);
      const rejects = bench.written(key).get('.rejects')?.toString() ?? '';
      assert.equal(rejects.split('\n').length, 3, rejects);
    });
  }

  slow('shows its status from the checkpoint', async t => {
    const bench = await storeBench(t);
    const name = bench.service.nameOf('/out.csv');
    await stopped(bench, '/out.csv');
    const status = await readStatus(name, withObjectStore(bench.service.endpoint));
    const report = statusReport(name, status);
    assert.deepEqual([report.state, report.alive, report.report], ['stopped', false, 'r']);
    assert.ok((report.rows?.read ?? 0) >= 100 && (status.partialBytes ?? 0) >= 2 * (64 << 10));
    await bench.run('/out.csv');
    assert.equal(
      statusReport(name, await readStatus(name, withObjectStore(bench.service.endpoint))).state,
      'finished',
    );
  });

  slow(
    'that is discarded leaves neither an upload nor a checkpoint, and an earlier object stays',
    async t => {
      const bench = await storeBench(t);
      await bench.run('/out.csv', { values: { limit: 5 } });
      const earlier = bench.written('/out.csv');
      await stopped(bench, '/out.csv');
      assert.notDeepEqual(bench.service.uploads(), []);
      assert.equal(
        await discardUnfinished(bench.service.nameOf('/out.csv'), withObjectStore(bench.service.endpoint)),
        true,
      );
      assert.deepEqual(bench.written('/out.csv'), earlier);
      assert.deepEqual(bench.service.uploads(), []);
    },
  );

  slow(
    'replaces the rejects of an earlier run by their header if it has none, because nothing is deleted',
    async t => {
      const bench = await storeBench(t);
      await bench.run('/out.csv');
      const rejects = bench.written('/out.csv').get('.rejects') ?? Buffer.alloc(0);
      const input = join(bench.folder, 'good.csv');
      await writeFile(input, 'id,plan,note\n5,a,b\n');
      await bench.run('/out.csv', { values: { input } });
      const header = rejects.subarray(0, rejects.indexOf('\n') + 1);
      assert.deepEqual(bench.written('/out.csv').get('.rejects'), header);
      assert.deepEqual([...bench.written('/out.csv').keys()].sort(), ['', '.rejects']);
    },
  );

  slow(
    'can have its rejects elsewhere, in the store or in a file, and a file can have its own in the store',
    async t => {
      const bench = await storeBench(t);
      const { run, service, folder } = bench;
      const wanted = await bench.wanted('out.csv');
      const file = join(folder, 'rejects.csv');
      const output = join(folder, 'a.csv');
      await run('/a.csv', { values: { rejects: service.nameOf('/a-rejects.csv') } });
      await run('/b.csv', { values: { rejects: file } });
      await run('/', { values: { output, rejects: service.nameOf('/c-rejects.csv') } });
      for (const [key, suffix] of [
        ['/a.csv', ''],
        ['/a-rejects.csv', '.rejects'],
        ['/b.csv', ''],
        ['/c-rejects.csv', '.rejects'],
      ] as const)
        assert.deepEqual(service.objects.get(key)?.bytes, wanted.get(suffix), key);
      assert.deepEqual(await readFile(file), wanted.get('.rejects'));
      assert.deepEqual(await readFile(output), wanted.get(''));
      assert.deepEqual([service.objects.size, service.uploads()], [4, []]);
    },
  );

  slow('is not resumed with its rejects in another place', async t => {
    const bench = await storeBench(t);
    await stopped(bench, '/out.csv');
    const rejects = bench.service.nameOf('/elsewhere.csv');
    await assert.rejects(bench.run('/out.csv', { values: { rejects } }), { code: 'other_work' });
  });

  slow('is given up if its run begins again with other options', async t => {
    const bench = await storeBench(t);
    const wanted = await bench.wanted('out.csv');
    await stopped(bench, '/out.csv');
    await runWhole(bench, '/out.csv', { restart: true });
    assert.deepEqual(bench.written('/out.csv'), wanted);
    await stopped(bench, '/out.csv');
    await runWhole(bench, '/out.csv', { restartIfChanged: true, prefix: 'p' });
    assert.match(bench.written('/out.csv').get('')?.toString() ?? '', /^id,plan,note,p_no,p_yes/);
  });

  slow('whose upload was aborted by another program is refused until it is restarted', async t => {
    const bench = await storeBench(t);
    await stopped(bench, '/out.csv');
    bench.service.abortUploads();
    await assert.rejects(bench.run('/out.csv'), { code: 'partial_too_short' });
    await runWhole(bench, '/out.csv', { restart: true });
  });

  it('is written although the responses to its requests are lost after they had their effect', async t => {
    const bench = await storeBench(t);
    const wanted = await bench.wanted('out.csv');
    let requests = 0;
    bench.service.hooks.after = ({ text }) => {
      if (!text.startsWith('GET') && ++requests % 2 === 1) throw new Error('lost');
    };
    await bench.run('/out.csv', { store: { maxOutage: 5 } });
    assert.deepEqual(bench.written('/out.csv'), wanted);
    assert.ok(requests > 10);
  });

  for (const [status, code] of [
    [503, 'SlowDown'],
    [500, 'InternalError'],
    [403, 'RequestTimeTooSkewed'],
    [400, 'ExpiredToken'],
    [400, 'XAmzContentSHA256Mismatch'],
  ] as const)
    slow(`is written although every seventh request is refused with ${code}`, async t => {
      const bench = await storeBench(t);
      const wanted = await bench.wanted('out.csv');
      let requests = 0;
      bench.service.hooks.refuse = () => (++requests % 7 === 0 ? [status, code] : undefined);
      await bench.run('/out.csv', { store: { maxOutage: 5 } });
      assert.deepEqual(bench.written('/out.csv'), wanted);
      assert.ok(requests > 10);
    });

  for (const [status, refused, code, exitCode] of [
    [503, 'SlowDown', 'store_unavailable', 75],
    [400, 'ExpiredToken', 'store_credentials_expired', 75],
    [403, 'AccessDenied', 'store_access_denied', 3],
    [404, 'NoSuchBucket', 'no_such_bucket', 3],
  ] as const)
    slow(`stops with ${code} and exit code ${exitCode} if that stays so, and is resumed`, async t => {
      const bench = await storeBench(t, 1800);
      const wanted = await bench.wanted('out.csv');
      let parts = 0;
      bench.service.hooks.refuse = ({ text }) => {
        if (text === 'PUT /out.csv?part') parts++;
        return parts > 2 ? [status, refused] : undefined;
      };
      const store = { maxOutage: status === 503 ? 0.3 : 10, holder: { ...thisProcess(), started: 'never' } };
      await assert.rejects(bench.run('/out.csv', { store }), { code, exitCode });
      delete bench.service.hooks.refuse;
      assert.ok(await runWhole(bench, '/out.csv'));
      assert.deepEqual(bench.written('/out.csv'), wanted);
    });

  slow('is refused by a store that ignores conditions', async t => {
    const bench = await storeBench(t);
    bench.service.hooks.ignoresConditions = true;
    await assert.rejects(bench.run('/out.csv'), { code: 'store_without_conditions' });
    assert.deepEqual(bench.written('/out.csv'), new Map());
  });

  it('is written by one process at a time', async t =>
    refusedMeanwhile(await storeBench(t), '/out.csv', '/out.csv'));

  slow('has rejects elsewhere in the store that no other run writes meanwhile', async t => {
    const bench = await storeBench(t);
    const values = { rejects: bench.service.nameOf('/shared-rejects.csv') };
    await refusedMeanwhile(bench, '/first.csv', '/second.csv', { values });
    assert.deepEqual([...bench.service.objects.keys()].sort(), ['/first.csv', '/shared-rejects.csv']);
  });
});
