import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { ModelScorer } from '../../src/models/local/model-scorer.ts';
import { trainReport } from '../../src/training/train.ts';
import { job } from '../support/scoring/job.ts';
import { score } from '../support/scoring/score.ts';
import { csv, history, homeWith } from '../support/service/history.ts';

test('scoring treats as missing what training did', async t => {
  const [header = [], ...rows] = history({ rows: 400 });
  const table = [header, ...rows.map(([id, amount, ...rest]) => [id ?? '', amount?.trim() || '-1', ...rest])];
  const { home, historyFile } = await homeWith(table);
  const report = await trainReport({ historyFile, predict: 'outcome', home, id: 'r', nulls: ['-1'] });
  assert.deepEqual(report.nulls, ['-1']);
  const scorer = await ModelScorer.open({ home, threads: 1 });
  t.after(() => scorer.close());
  const scored = async (name: string, amount: string): Promise<string[]> => {
    const input = join(home, `${name}.csv`);
    const output = join(home, `${name}-scored.csv`);
    await writeFile(input, csv([header, ['x', amount, 'Basic', '3', 'No']]));
    await score(job({ input, output, report: 'r' }), scorer);
    return (await readFile(output, 'utf8')).trim().split(',').slice(-2);
  };
  assert.deepEqual(await scored('null', '-1'), await scored('missing', ''));
  assert.notDeepEqual(await scored('null', '-1'), await scored('number', '-2'));
});
