import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { random as randomOf } from '../../../fixtures/random.ts';
import { newFolder } from '../../support/folder.ts';
import { isFull, seed } from '../../support/random-tests.ts';
import { exits, rowcast, startRowcast } from '../../support/rowcast.ts';
import { trainedHome } from '../../support/service/serving.ts';
import { noAzurite, startAzurite } from '../../support/stores/azurite.ts';
import { backendOf, getObject, putObject } from '../../support/stores/objects.ts';
import type { RealStore } from '../../support/stores/real-store.ts';
import { noSeaweed, startSeaweed } from '../../support/stores/seaweed.ts';
import { manyRows } from '../many-rows.ts';

/** STORE_KILLS=20 makes more. */
const KILLS = Number(process.env.STORE_KILLS ?? (isFull ? 5 : 2));
/** No object has more of them before its run may finish. */
const MOST = 4;
const ROWS = 400_000;
const hasZstd = 'zstdCompressSync' in (await import('node:zlib'));

/**
 * Kills runs at random moments until each of their objects is complete, and compares bytes and ETags.
 *
 * @param isStored whether the input is an object too
 */
async function killAll(t: TestContext, store: RealStore, name: string, isStored = false): Promise<void> {
  const folder = await newFolder(t, { 'in.csv': manyRows(ROWS) });
  const env = { ROWCAST_HOME: await trainedHome(), ...store.env };
  Object.assign(process.env, store.env);
  const file = join(folder, 'in.csv');
  const input = isStored ? `${store.url}/in/in.csv` : file;
  if (isStored) await putObject(input, await readFile(file));
  const argsOf = (output: string): string[] => {
    const pace = ['--checkpoint-interval', '100ms', '--part-bytes', '5MiB', '--threads', '1'];
    return ['score', input, '--report', 'one', '-o', output, ...pace];
  };
  const local = join(folder, name);
  await exits(rowcast(argsOf(local), { env }), 1);
  const whole = `${store.url}/whole/${name}`;
  const begun = performance.now();
  await exits(rowcast(argsOf(whole), { env }), 1);
  const usual = performance.now() - begun;
  assert.deepEqual(await getObject(whole), await readFile(local));
  assert.deepEqual(await getObject(`${whole}.rejects`), await readFile(`${local}.rejects`));
  const random = randomOf(seed);
  let [kills, resumes] = [0, 0];
  for (let number = 0; kills < KILLS; number++) {
    const output = `${store.url}/${number}/${name}`;
    for (let left = random.whole(1, MOST); ; left--) {
      const { child, finished } = startRowcast(argsOf(output), { env });
      if (left > 0) {
        await Promise.race([finished, sleep(200 + random.unit() * usual)]);
        child.kill('SIGKILL');
      }
      const { code, stderr } = await finished;
      if (code !== null) {
        assert.equal(code, 1, stderr);
        if (/resum/.test(stderr)) resumes++;
        break;
      }
      kills++;
    }
    for (const suffix of ['', '.rejects']) {
      assert.deepEqual(await getObject(output + suffix), await getObject(whole + suffix), output + suffix);
      if (store.hasEqualTags) assert.equal(await tagOf(output + suffix), await tagOf(whole + suffix));
    }
    await exits(rowcast(['status', `${output}.checkpoint`], { env }), 2); // the checkpoint is gone
  }
  t.diagnostic(`${kills} kills, ${resumes} resumes of the last process of an output`);
}

const tagOf = async (url: string): Promise<string | undefined> =>
  (await backendOf(url).openInput(url)).version.etag;

describe('a run that is killed has the same bytes and the same ETag', () => {
  it('in SeaweedFS', { skip: noSeaweed }, async t => {
    const store = await startSeaweed(t);
    await t.test('from s3 to s3', t => killAll(t, store, 'out.csv', true));
    await t.test('from a file to s3 with gzip', t => killAll(t, store, 'out.csv.gz'));
    await t.test('from a file to s3 with zstd', { skip: !hasZstd }, t => killAll(t, store, 'out.csv.zst'));
  });

  it('in Azurite', { skip: noAzurite }, async t => {
    const store = await startAzurite(t);
    await t.test('from az to az', t => killAll(t, store, 'out.csv', true));
  });
});
