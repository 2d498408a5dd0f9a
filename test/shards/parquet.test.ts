import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import type { Predictions } from '../../src/base/contract/predictions.ts';
import type { Description } from '../../src/base/contract/schemas.ts';
import type { Scorer } from '../../src/scoring/scorer.ts';
import { readShards } from '../../src/shards/folder/read-run.ts';
import { work } from '../../src/shards/work/work.ts';
import { newFolder } from '../support/folder.ts';
import { withObjectStore } from '../support/object-store/object-backend.ts';
import { startObjectService } from '../support/object-store/object-service.ts';
import { parquetOf } from '../support/parquet.ts';
import { job } from '../support/scoring/job.ts';
import { labels, numbers } from '../support/scoring/predictions.ts';
import { rowScorer } from '../support/scoring/row-scorer.ts';
import { score } from '../support/scoring/score.ts';
import { assembleHere } from '../support/shards/assemble-here.ts';
import { largeRows } from '../support/shards/large-rows.ts';
import { planHere } from '../support/shards/planned-here.ts';
import { slow } from '../support/slow.ts';

const ROWS = 6_000;
const text = largeRows(ROWS);
const parquet = await parquetOf(text, { groupRows: 1_500 });

/** Predicts from the first column, which JSON lines have with quotes. Some rows are rejected, the first among them. */
const scorerOf = (
  report: Description = { predicts: 'plan' },
  predict: (ids: number[]) => Predictions = ids => numbers(ids.map(id => id / 7)),
) =>
  rowScorer(rows => {
    const ids = rows.map(([id = '']) => Number(id.replaceAll('"', '')));
    const errors = new Map(
      ids.flatMap((id, row) => (id % 97 === 0 ? [[row, { code: 'odd', message: 'it is odd' }]] : [])),
    );
    return { ...predict(ids), errors };
  }, report);
const scorer = scorerOf();
const labelled = scorerOf(undefined, ids => labels(ids.map(id => `class "${id % 3}"`)));
/** Without rows, only the report tells what is predicted. */
const announced = scorerOf({ predicts: 'plan', predictionType: { kind: 'numbers', names: [] } });

const { signal: stop } = new AbortController();

/** A planned run of shards: how its files are named, its work, and a comparison of its outputs with a single run's. */
async function planned(
  t: TestContext,
  from: string,
  to: string,
  { limit, bytes = parquet, by = scorer }: { limit?: number; bytes?: Buffer; by?: Scorer } = {},
) {
  const cwd = await newFolder(t);
  const at = (file: string): string => join(cwd, file);
  await writeFile(at('in.parquet'), bytes);
  await writeFile(at('in.csv'), text);
  const flags = { features: ['id'], 'group-rows': '1500', ...(limit !== undefined && { limit: `${limit}` }) };
  const run = await planHere({ input: at(from), output: at(to) }, by, flags);
  assert.equal(run.plan.predictionType?.kind, by === labelled ? 'label' : 'numbers');
  return {
    at,
    run: { ...run, scorer: by, observer: {}, stop },
    shards: await readShards(run.folder),
    async assembled(suffixes = ['', '.rejects']) {
      await assembleHere(run.folder.path);
      await single(at, from, to, { limit, by });
      for (const suffix of suffixes)
        assert.ok(
          (await readFile(at(to + suffix))).equals(await readFile(at(`whole.${to}${suffix}`))),
          to + suffix,
        );
    },
  };
}

/** What a single process writes of the same input. */
async function single(
  at: (file: string) => string,
  from: string,
  to: string,
  { limit, by = scorer }: { limit?: number | undefined; by?: Scorer } = {},
): Promise<void> {
  const files = { input: at(from), output: at(`whole.${to}`) };
  const outputFormat = to === 'out' ? ('parquet' as const) : undefined;
  await score(job({ ...files, features: ['id'], groupRows: 1500, outputFormat, limit }), by);
}

describe('shards of Parquet', () => {
  for (const [from, to, shards, test] of [
    ['in.parquet', 'out.csv', 2, slow],
    ['in.parquet', 'out.jsonl', 2, it],
    ['in.parquet', 'out.parquet', 2, slow],
    ['in.parquet', 'out', 2, slow],
    ['in.csv', 'out.parquet', 2, it],
    ['in.parquet', 'out.csv.gz', 1, slow],
  ] as const)
    test(`make ${to} of ${from} as a single run does`, async t => {
      const by = from === 'in.csv' ? labelled : scorer;
      const { run, shards: found, assembled } = await planned(t, from, to, { by });
      assert.equal(found.length, shards);
      // The last one first, so that none knows of another.
      for (const { shard } of found.toReversed()) await work(run, [shard]);
      await assembled();
    });

  slow('are as many as there are groups if they are small, and end at --limit', async t => {
    const { run, shards, assembled } = await planned(t, 'in.parquet', 'out.csv', { limit: 4700 });
    assert.deepEqual(
      shards.map(({ from, to }) => [from?.row, to?.row]),
      [
        [1, 4501],
        [4501, 4701],
      ],
    );
    await work(run);
    await assembled();
  });

  it('of a file without rows are one', async t => {
    const bytes = await parquetOf('id,monthly amount,plan,note\n');
    for (const to of ['out.csv', 'out.parquet', 'out.jsonl']) {
      const { run, shards, assembled } = await planned(t, 'in.parquet', to, { bytes, by: announced });
      assert.equal(shards.length, 1);
      await work(run);
      await assembled(['']);
    }
  });

  it('refuse an input that has changed since it was planned', async t => {
    const { at, run } = await planned(t, 'in.parquet', 'out.parquet');
    await writeFile(at('in.parquet'), await parquetOf(text, { groupRows: 1_501 }));
    const failed: unknown[] = [];
    const observer = { onFailed: (_: unknown, { code }: { code: string }) => failed.push(code) };
    await work({ ...run, observer }).catch(({ code }) => failed.push(code));
    assert.equal(failed[0], 'input_changed');
  });

  slow('are joined in a store', async t => {
    const cwd = await newFolder(t, { 'in.parquet': parquet });
    const at = (file: string): string => join(cwd, file);
    const service = await startObjectService(t);
    const backends = withObjectStore(service.endpoint);
    service.put('/in.parquet', parquet);
    for (const to of ['out.parquet', 'out.jsonl']) {
      const files = { input: service.nameOf('/in.parquet'), output: service.nameOf(`/${to}`) };
      const flags = { features: ['id'], 'group-rows': '1500' };
      const run = await planHere(files, scorer, flags, backends);
      await work({ ...run, scorer, observer: {}, stop, backends });
      await assembleHere(run.folder.path, undefined, undefined, backends);
      await single(at, 'in.parquet', to);
      for (const suffix of ['', '.rejects'])
        assert.ok(
          service.objects.get(`/${to}${suffix}`)?.bytes.equals(await readFile(at(`whole.${to}${suffix}`))),
          to + suffix,
        );
    }
    assert.deepEqual(service.uploads(), []);
  });
});
