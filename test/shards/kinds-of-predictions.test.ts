import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe } from 'node:test';
import type { Predictions } from '../../src/base/contract/predictions.ts';
import { readShards } from '../../src/shards/folder/read-run.ts';
import { work } from '../../src/shards/work/work.ts';
import { newFolder } from '../support/folder.ts';
import { job } from '../support/scoring/job.ts';
import { labels, numbers } from '../support/scoring/predictions.ts';
import { rowScorer } from '../support/scoring/row-scorer.ts';
import { score } from '../support/scoring/score.ts';
import { assembleHere } from '../support/shards/assemble-here.ts';
import { planHere } from '../support/shards/planned-here.ts';
import { slow } from '../support/slow.ts';

/** More than one shard. */
const rows = 2500;
const input = `id,text\n${Array.from({ length: rows }, (_, id) => `${id},${'x'.repeat(900)}\n`).join('')}`;

const kinds: Record<string, (ids: number[]) => Predictions> = {
  'a label': ids => labels(ids.map(id => (id % 2 === 0 ? 'yes' : 'no, "never"'))),
  'a number': ids => numbers(ids.map(id => id / 7)),
  'several numbers': ids =>
    numbers(
      ids.flatMap(id => [id / 7, -id]),
      ['mean', 'least'],
    ),
};

describe('a run in shards', { concurrency: true }, () => {
  // One of them is enough for every run of the tests.
  for (const [name, predict, to] of Object.entries(kinds).flatMap(([name, predict]) =>
    ['csv', 'parquet'].map(to => [name, predict, to] as const),
  ))
    slow(`gives the bytes of one process if it finds out that ${name} comes back, as ${to}`, async t => {
      const cwd = await newFolder(t);
      const at = (file: string): string => join(cwd, file);
      await writeFile(at('in.csv'), input);
      let asked = 0;
      // The first rows are rejected, so the first predictions do not tell either.
      const scorer = rowScorer(
        found => {
          asked += found.length;
          const ids = found.map(([id]) => Number(id));
          const errors = new Map(
            ids.flatMap((id, row) => (id < 5 ? [[row, { code: 'odd', message: 'it is odd' }]] : [])),
          );
          return { ...predict(ids), errors };
        },
        { predicts: 'plan' },
      );
      const files = { input: at('in.csv'), output: at(`out.${to}`) };
      const { folder, plan, options } = await planHere(files, scorer, { 'group-rows': '500' });
      assert.equal(plan.predictionType?.kind, name === 'a label' ? 'label' : 'numbers');
      assert.equal(asked, 100, 'one request is made, of the first rows');
      assert.ok((await readShards(folder)).length > 1);
      const { signal: stop } = new AbortController();
      await work({ folder, plan, options, scorer, observer: {}, stop });
      const { prediction, rows: counts } = await assembleHere(folder.path);
      assert.deepEqual([prediction, counts.scored], [plan.predictionType, rows - 5]);

      await score(job({ input: at('in.csv'), output: at(`whole.${to}`), groupRows: 500 }), scorer);
      for (const suffix of ['', '.rejects'])
        assert.equal(
          await readFile(at(`out.${to}${suffix}`), 'latin1'),
          await readFile(at(`whole.${to}${suffix}`), 'latin1'),
        );
    });
});
