import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it, mock, type TestContext } from 'node:test';
import type { RowcastError } from '../../src/base/errors.ts';
import type { RunValues } from '../../src/base/options/values/run-values.ts';
import type { RunResult } from '../../src/runs/observer.ts';
import { newFolder } from '../support/folder.ts';
import { job } from '../support/scoring/job.ts';
import { score } from '../support/scoring/score.ts';
import { slow } from '../support/slow.ts';
import { type ConnectOptions, connect } from '../support/stub/connect.ts';
import { type Stub, type StubCall, send } from '../support/stub/service.ts';

interface Outcome {
  stub: Stub;
  scored: RunResult | undefined;
  failure: RowcastError | undefined;
  /** Ids of the rows that were rejected, and why. */
  rejected: [id: number, code: string][];
}

/** Scores rows with the ids 0, 1, 2 … with a service that behaves like this. */
async function scoreWith(
  t: TestContext,
  behave: (call: StubCall, ids: number[]) => boolean,
  {
    rows = 200,
    client: clientOptions = {},
    ...options
  }: Partial<RunValues> & { rows?: number; client?: ConnectOptions } = {},
): Promise<Outcome> {
  const folder = await newFolder(t);
  const input = join(folder, 'in.csv');
  await writeFile(input, `id\n${Array.from({ length: rows }, (_, id) => `${id}\n`).join('')}`);
  const { client, stub } = await connect(t, {
    concurrency: 4,
    maxOutage: 600, // on a busy machine, nothing may succeed for a while
    ...clientOptions,
    report: { classes: ['no', 'yes'] },
    behave: call =>
      behave(
        call,
        call.body.personas.map(({ features }) => Number(features.id)),
      ),
  });
  const paths = { input, output: join(folder, 'out.csv') };
  let failure: RowcastError | undefined;
  const scored = await score(job({ ...paths, batchRows: 20, ...options }), client).catch(error => {
    failure = error;
    return undefined;
  });
  const rejects = await readFile(`${paths.output}.rejects`, 'utf8').catch(() => '');
  const rejected = rejects
    .split('\n')
    .slice(1, -1)
    .map((line): [number, string] => {
      const [, , code = '', , id] = line.match(/("[^"]*"|[^,]*)(?:,|$)/g) ?? [];
      return [Number(id), code.replace(',', '')];
    });
  return { stub, scored, failure, rejected };
}

/** Fails requests that contain a row. */
const failing =
  (bad: number, fail: (call: StubCall) => void) =>
  (call: StubCall, ids: number[]): boolean => {
    if (!ids.includes(bad)) return false;
    fail(call);
    return true;
  };

describe('scoring with failing requests', { concurrency: 2 }, () => {
  // The random part of the waits between attempts, which are up to half a minute long.
  const random = Math.random;
  before(() => {
    mock.method(Math, 'random', () => random() / 50);
  });
  after(() => mock.restoreAll());

  describe('a row that the service cannot score is the only row that is lost', { concurrency: 4 }, () => {
    const busy = ({ response }: StubCall): void => send(response, 503, {});

    it('if it responds with 503 to it and its neighbours succeed', async t => {
      const { rejected, scored } = await scoreWith(t, failing(77, busy), { batchRows: 2 });
      assert.deepEqual(rejected, [[77, 'http_503']]);
      assert.equal(scored?.rowCounts.scored, 199);
    });

    it('if it responds with 503 to it and there are no other batches', async t => {
      const { rejected } = await scoreWith(t, failing(1, busy), { rows: 2 });
      assert.deepEqual(rejected, [[1, 'http_503']]);
    });

    slow('after four attempts of each part if it responds with 503 to it in a large batch', async t => {
      const { rejected, stub } = await scoreWith(t, failing(77, busy), { rows: 200, batchRows: 200 });
      assert.deepEqual(rejected, [[77, 'http_503']]);
      const sizes = stub.bodies
        .filter(({ personas }) => personas.some(({ features }) => features.id === 77))
        .map(({ personas }) => personas.length);
      const parts = new Set(sizes.filter(size => size < 200));
      assert.ok(parts.has(1));
      // Eight levels; on a busy machine, a wait may end before the probes do.
      const attempts = sizes.filter(size => size < 200).length;
      assert.ok(attempts >= 32 && attempts <= 64, `${attempts} attempts of ${parts.size} parts`);
    });

    it('if it never responds to it, after the retry budget is used up', async t => {
      const { rejected } = await scoreWith(
        t,
        failing(77, () => {}),
        { batchRows: 2, client: { timeout: 1, maxOutage: 5 } },
      );
      assert.deepEqual(rejected, [[77, 'service_timeout']]);
    });

    slow('if it crashes on it, after the retry budget is used up', async t => {
      const { rejected } = await scoreWith(
        t,
        failing(77, ({ request }) => void request.socket.destroy()),
        { client: { maxOutage: 3 } },
      );
      assert.deepEqual(rejected, [[77, 'connection_broken']]);
    });
  });

  describe('no row is rejected', { concurrency: 4 }, () => {
    it('if the service sheds load', async t => {
      let calls = 0;
      const { rejected, scored } = await scoreWith(t, ({ response }) => {
        if (++calls % 2 === 0) return false;
        send(response, 503, {});
        return true;
      });
      assert.deepEqual([rejected, scored?.rowCounts.scored], [[], 200]);
    });
  });
});
