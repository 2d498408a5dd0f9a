import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { before, describe, it, type TestContext } from 'node:test';
import { random as randomOf } from '../../../fixtures/random.ts';
import { zlibZstd } from '../../../src/storage/codecs/zstd.ts';
import { bundled } from '../../support/bundled.ts';
import { storeBench } from '../../support/object-store/scored-in-store.ts';
import { seed } from '../../support/random-tests.ts';
import { root } from '../../support/root.ts';
import type { ScoreToStore } from './score-to-store.ts';

/** score-to-store.js, bundled because it is started for each kill. */
let script = '';

/** Kills for each name of an output, and the most of them for one object. STORE_KILLS=20 makes more. */
const KILLS = Number(process.env.STORE_KILLS ?? 5);
const MOST = 4;

/** Kills processes at random moments until each of their objects is complete, and compares the bytes. */
async function killAll(
  t: TestContext,
  name: string,
  rows: number,
  format: 'csv' | 'jsonl' | 'parquet' = 'csv',
): Promise<void> {
  const bench = await storeBench(t, rows, format);
  const { service, stub, options } = bench;
  const random = randomOf(seed);
  const wanted = await bench.wanted(name);
  let kills = 0;
  let resumes = 0;
  /** Requests of a whole run; known after the first one. */
  let usual = 20;
  for (let number = 0; kills < KILLS; number++) {
    const key = `/${number}/${name}`;
    for (let left = random.whole(1, MOST); ; left--) {
      const parameters: ScoreToStore = {
        ...options,
        url: stub.url,
        key: stub.key,
        output: service.nameOf(key),
        endpoint: service.endpoint,
        checkpointInterval: 0.02,
      };
      const child = spawn(process.execPath, [script, JSON.stringify(parameters)], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const at = left > 0 ? random.whole(1, usual) : Number.POSITIVE_INFINITY;
      let requests = 0;
      // The request may still have its effect, or not: it has been received.
      service.hooks[random.whole(0, 1) === 0 ? 'before' : 'after'] = () => {
        if (++requests === at) child.kill('SIGKILL');
      };
      const printed = text(child.stdout);
      const [code, signal] = await once(child, 'exit');
      service.hooks.before = () => {};
      service.hooks.after = () => {};
      for (const [suffix, bytes] of bench.written(key))
        if (suffix !== '.checkpoint') assert.deepEqual(bytes, wanted.get(suffix), key);
      if (signal === 'SIGKILL') {
        kills++;
        continue;
      }
      assert.equal(code, 0);
      if (Number(await printed) > 1) resumes++;
      usual = Math.max(usual, requests);
      break;
    }
    assert.deepEqual(bench.written(key), wanted, key);
    assert.deepEqual(service.uploads(), [], key);
  }
  t.diagnostic(`${kills} kills, ${resumes} resumes of the last process of an output, seed ${seed}`);
  // A few may all come before the first checkpoint.
  if (KILLS >= 20) assert.ok(resumes > 0);
}

describe('a process that is killed while it writes an object', () => {
  before(async () => {
    script = await bundled(join(root, 'dist/test/crash/stores/score-to-store.js'));
  });

  it('is resumed with the same bytes', t => killAll(t, 'out.csv', 1500));

  it('is resumed with the same bytes as gzip', t => killAll(t, 'out.csv.gz', 4000));

  for (const name of ['out.jsonl', 'out.jsonl.gz', ...(zlibZstd === undefined ? [] : ['out.jsonl.zst'])])
    it(`is resumed with the same bytes as JSON lines: ${name}`, t => killAll(t, name, 1500, 'jsonl'));

  it('is resumed with the same bytes from Parquet to Parquet', t =>
    killAll(t, 'out.parquet', 1500, 'parquet'));

  it('is resumed with the same bytes from CSV to Parquet', t => killAll(t, 'out.parquet', 1500));

  it('is resumed with the same bytes from Parquet to CSV', t => killAll(t, 'out.csv', 1500, 'parquet'));
});
