import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { random } from '../../../fixtures/random.ts';
import { LEASE_MS } from '../../../src/shards/folder/next-attempt.ts';
import { newFolder } from '../../support/folder.ts';
import { startObjectService } from '../../support/object-store/object-service.ts';
import { isFull, seed } from '../../support/random-tests.ts';
import { exits, type Running, rowcast, startRowcast } from '../../support/rowcast.ts';
import { trainedHome } from '../../support/service/serving.ts';
import { hardCsv } from '../../support/shards/hard-csv.ts';
import { noAzurite, startAzurite } from '../../support/stores/azurite.ts';
import { getObject, namesIn, putObject } from '../../support/stores/objects.ts';
import type { RealStore } from '../../support/stores/real-store.ts';
import { noSeaweed, startSeaweed } from '../../support/stores/seaweed.ts';

/** SHARD_KILLS=40 makes more. */
const KILLS = Number(process.env.SHARD_KILLS ?? (isFull ? 6 : 3));
const WORKERS = 4;

/** @param suffix of the output */
async function killWorkers(t: TestContext, store: RealStore, suffix: string): Promise<void> {
  const env = { ROWCAST_HOME: await trainedHome(), ...store.env };
  Object.assign(process.env, store.env);
  const text = hardCsv(5_000_000);
  const cwd = await newFolder(t, { 'in.csv': text });
  const input = `${store.url}/shards${suffix}/in.csv`;
  await putObject(input, Buffer.from(text));
  const report = ['--allow-missing', '--report', 'one'];
  const run = (code: number, ...args: string[]) => exits(rowcast(args, { cwd, env }), code);
  const folder = `${store.url}/shards${suffix}/run`;
  const output = `${store.url}/shards${suffix}/out${suffix}`;
  const how = ['--shards', folder, '--shard-bytes', '1MiB', '--checkpoint-interval', '100ms'];
  await run(0, 'plan', input, ...report, '-o', output, ...how);
  const start = (): Running => {
    const pace = ['--threads', '1', '--max-rows-per-second', `${WORKERS * 2_000}`, '--batch-rows', '200'];
    return startRowcast(['work', folder, ...pace], { cwd, env });
  };
  const { unit, pick } = random(seed);
  const workers = new Set(Array.from({ length: WORKERS }, start));
  const suspended: Running[] = [];
  const counts = { SIGKILL: 0, SIGTERM: 0, SIGSTOP: 0 };
  for (let kill = 0; kill < KILLS; kill++) {
    await sleep(700 + 1500 * unit());
    const worker = pick([...workers]);
    if (worker.child.exitCode !== null) break;
    // One comes back when another worker has its shard.
    const signal = kill % 10 === 1 ? 'SIGSTOP' : unit() < 0.7 ? 'SIGKILL' : 'SIGTERM';
    counts[signal]++;
    worker.child.kill(signal);
    if (signal === 'SIGSTOP') {
      suspended.push(worker);
      setTimeout(() => worker.child.kill('SIGCONT'), LEASE_MS + 4_000);
    } else await once(worker.child, 'exit');
    workers.delete(worker);
    workers.add(start());
  }
  for (const { finished } of [...workers, ...suspended]) await exits(finished, 0);
  await run(1, 'assemble', folder);
  await run(1, 'score', 'in.csv', ...report, '-o', 'one.csv');
  if (suffix === '.csv') assert.deepEqual(await getObject(output), await readFile(join(cwd, 'one.csv')));
  else await run(0, 'verify', input, output);
  assert.deepEqual(await getObject(`${output}.rejects`), await readFile(join(cwd, 'one.csv.rejects')));
  assert.deepEqual(await namesIn(`${store.url}/shards${suffix}`), [
    'in.csv',
    `out${suffix}`,
    `out${suffix}.rejects`,
  ]);
  t.diagnostic(JSON.stringify(counts));
}

describe('shards in a store whose workers are killed, stopped and suspended have the bytes of one process', () => {
  it('in a service that speaks S3', async t => {
    const service = await startObjectService(t);
    const env = {
      AWS_ACCESS_KEY_ID: 'test',
      AWS_SECRET_ACCESS_KEY: 'test',
      AWS_ENDPOINT_URL_S3: service.endpoint,
    };
    await killWorkers(t, { url: 's3://bucket', env, hasEqualTags: true }, '.csv');
    assert.deepEqual(service.uploads(), []);
  });

  it('in SeaweedFS', { skip: noSeaweed }, async t => {
    const store = await startSeaweed(t);
    for (const suffix of ['.csv', '.csv.gz']) await t.test(suffix, t => killWorkers(t, store, suffix));
  });

  it('in Azurite', { skip: noAzurite }, async t => {
    const store = await startAzurite(t);
    await killWorkers(t, store, '.csv');
  });
});
