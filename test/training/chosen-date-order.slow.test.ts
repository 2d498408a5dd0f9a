import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { ModelScorer } from '../../src/models/local/model-scorer.ts';
import { trainReport } from '../../src/training/train.ts';
import { job } from '../support/scoring/job.ts';
import { score } from '../support/scoring/score.ts';
import { csv, homeWith } from '../support/service/history.ts';

/** Days and months up to 12, so that nothing tells which of the two is first. The first one decides the outcome. */
const rows = Array.from({ length: 600 }, (_, i) => {
  const [first, second] = [1 + ((i * 7) % 12), 1 + (Math.floor(i / 12) % 12)];
  const text = `${String(first).padStart(2, '0')}/${String(second).padStart(2, '0')}/2025`;
  return [text, first > 6 ? 'Yes' : 'No'];
});

test('a file with the other order of day and month is scored as the same dates, if its type says so', async t => {
  const { home, historyFile } = await homeWith([['joined', 'outcome'], ...rows]);
  await trainReport({ historyFile, predict: 'outcome', home, id: 'r', types: { joined: 'date:mdy' } });
  const scorer = await ModelScorer.open({ home, threads: 2 });
  t.after(() => scorer.close());
  const scored = async (turned: boolean, types: Readonly<Record<string, string>> = {}) => {
    const [input, output] = [join(home, `${turned}.csv`), join(home, `${turned}-out.csv`)];
    const dates = Array.from({ length: 6_000 }, (_, i) => {
      const [month, day] = [1 + (i % 12), 1 + ((i * 5) % 28)].map(part => String(part).padStart(2, '0'));
      return turned ? `${day}/${month}/2025` : `${month}/${day}/2025`;
    });
    await writeFile(input, csv([['id', 'joined'], ...dates.map((date, i) => [String(i), date])]));
    await score(job({ input, output, report: 'r', types, restart: true, maxMismatches: 'none' }), scorer);
    const lines = (await readFile(output, 'utf8')).trim().split('\n').slice(1);
    return lines.map(line => line.split(',').slice(2).join());
  };
  const expected = await scored(false);
  assert.ok(new Set(expected).size > 1);
  assert.deepEqual(await scored(true, { joined: 'date:dmy' }), expected);
  assert.notDeepEqual(await scored(true), expected);
});
