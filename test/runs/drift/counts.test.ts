import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, describe, it, type TestContext } from 'node:test';
import { RowcastError } from '../../../src/base/errors.ts';
import { Interrupted } from '../../../src/base/interrupted.ts';
import { counted } from '../../../src/base/number-text.ts';
import { readBaseUrl } from '../../../src/client/base-url.ts';
import { connectReports } from '../../../src/client/protocols/report/report-client.ts';
import { ModelScorer } from '../../../src/models/local/model-scorer.ts';
import type { DataFigures } from '../../../src/runs/drift/figures.ts';
import type { RunProgress, RunResult } from '../../../src/runs/observer.ts';
import { trainReport } from '../../../src/training/train.ts';
import { newFolder } from '../../support/folder.ts';
import { job } from '../../support/scoring/job.ts';
import { score } from '../../support/scoring/score.ts';
import { csv, history, homeWith } from '../../support/service/history.ts';
import { serving } from '../../support/service/serving.ts';
import { slow } from '../../support/slow.ts';

const ROWS = 3000;
const odd: readonly (readonly [at: number, column: number, text: string])[] = [
  [3, 1, 'much'],
  [2500, 1, 'N/A'],
  [2501, 1, '1e99'],
  [7, 2, 'basic'],
  [8, 2, ''],
  [2000, 2, '-'],
];

let home: string;
let table: string[][];

async function files(t: TestContext, { output = 'out.csv', text = `${csv(table)}malformed\n` } = {}) {
  const folder = await newFolder(t, { 'in.csv': text });
  const summary = join(folder, 'summary.json');
  return { ...job({ input: join(folder, 'in.csv'), output: join(folder, output), report: 'r' }), summary };
}

async function scorerOf(t: TestContext, threads = 2): Promise<ModelScorer> {
  const scorer = await ModelScorer.open({ home, threads });
  t.after(() => scorer.close());
  return scorer;
}

async function serviceClient(t: TestContext) {
  const { url, key } = await serving(t, { home });
  const client = connectReports({ url: readBaseUrl(url, false), key, name: 'service' });
  t.after(() => client.close());
  return client;
}

const figuresOf = (scored: RunResult | undefined): DataFigures => {
  assert.ok(scored?.figures !== undefined);
  return scored.figures;
};

/** A file as --summary writes it. */
async function summaryOf(t: TestContext, { columns, scores }: DataFigures): Promise<string> {
  const file = join(await newFolder(t), 'earlier.json');
  const run = { format: 1, run_id: '1', started_at: '', input: 'in.csv', report: 'r', rows: { read: ROWS } };
  await writeFile(file, JSON.stringify({ ...run, columns, scores }));
  return file;
}

describe('what a run counts', () => {
  /** Rows that differ from the training data in the places above. */
  before(async () => {
    const training = history({ rows: 600 });
    const { home: folder, historyFile } = await homeWith(training);
    home = folder;
    await trainReport({ historyFile, predict: 'outcome', home, id: 'r' });
    table = history({ rows: ROWS, seed: 11 }).map(row => row.slice(0, 4));
    for (const [at, column, text] of odd) {
      const row = table[at];
      if (row !== undefined) row[column] = text;
    }
  });

  it('is what its rows are, next to what the training rows were', async t => {
    const options = await files(t);
    const { columns, scores } = figuresOf(await score(options, await scorerOf(t)));
    const [amount, plan] = columns;
    assert.ok(amount !== undefined && plan !== undefined);
    const cells = (column: number) => table.slice(1).map(row => row[column]?.trim() ?? '');
    const amounts = cells(1)
      .filter(text => /^[\d.]+$/.test(text))
      .map(Number);
    const mean = amounts.reduce((sum, value) => sum + value, 0) / amounts.length;
    assert.deepEqual(
      [amount.name, amount.missing, amount.mismatched, amount.unseen],
      ['monthly amount', ROWS - amounts.length - 2, 2, 0],
    );
    assert.equal(amount.mean, Number(mean.toPrecision(6)));
    assert.equal(amount.training?.rows, 600);
    assert.equal(amount.ranges?.edges.length, 9);
    assert.equal(
      amount.ranges?.rows.reduce((sum, rows) => sum + rows, 0),
      amounts.length,
    );
    assert.deepEqual(
      [plan.name, plan.missing, plan.mismatched, plan.unseen, plan.mean],
      ['plan', cells(2).filter(text => text === '').length, 0, 2, null],
    );
    assert.deepEqual(
      plan.categories?.rows,
      plan.categories?.names.map(name => cells(2).filter(text => text === name).length),
    );
    const output = (await readFile(options.output, 'utf8')).trim().split('\n').slice(1);
    const yes = output.map(line => Number(line.split(',').at(-1)));
    const meanYes = yes.reduce((sum, value) => sum + value, 0) / ROWS;
    assert.ok(Math.abs((scores?.Yes?.mean ?? 0) - meanYes) < 1e-5);
    const median = yes.sort((a, b) => a - b)[ROWS / 2] ?? 0;
    assert.ok(Math.abs((scores?.Yes?.deciles[4] ?? 0) - median) <= Math.min(median, 1 - median) / 32 + 1e-4);
    assert.equal(
      scores?.Yes?.ranges.rows.reduce((sum, rows) => sum + rows, 0),
      ROWS,
    );
  });

  slow('is the same with a service, whatever the batches are', async t => {
    const local = figuresOf(await score(await files(t), await scorerOf(t, 1)));
    const options = { ...(await files(t, { output: 'out.csv.gz' })), batchRows: 77 };
    assert.deepEqual(figuresOf(await score(options, await serviceClient(t))), local);
  });

  slow('is the same after a run was interrupted and resumed', async t => {
    const compare = await summaryOf(t, figuresOf(await score(await files(t), await scorerOf(t))));
    const whole = figuresOf(await score({ ...(await files(t)), compare }, await scorerOf(t)));
    assert.deepEqual(new Set(whole.drift?.columns.map(({ psi }) => psi)), new Set([0]));
    const options = { ...(await files(t)), compare, batchRows: 100, checkpointInterval: 0 };
    let resumed: RunResult | undefined;
    for (let attempts = 0; resumed === undefined && attempts < 20; attempts++) {
      const stop = new AbortController();
      let parts = 0;
      const progress = () => {
        if (++parts === 9) stop.abort('SIGINT');
      };
      const scorer = await ModelScorer.open({ home, threads: 1 });
      resumed = await score(options, scorer, { stop: stop.signal, progress })
        .catch(error => {
          if (error instanceof Interrupted) return undefined;
          throw error;
        })
        .finally(() => scorer.close());
    }
    assert.ok(resumed?.resumedFrom !== undefined, 'the run was not interrupted');
    assert.deepEqual(figuresOf(resumed), whole);
  });

  it('takes categories with spaces around them for what they are, and counts them', async t => {
    const [head = [], ...rows] = table;
    const spaced = rows.map(row => row.map((text, i) => (i === 2 && text !== '' ? ` ${text}\t` : text)));
    const scorer = await scorerOf(t);
    const one = await score(await files(t, { text: csv(table) }), scorer);
    const other = await score(await files(t, { text: csv([head, ...spaced]) }), scorer);
    const [before, after] = [one, other].map(run => figuresOf(run).columns[1]);
    const given = before?.categories?.rows.reduce((sum, count) => sum + count, 0);
    assert.deepEqual(after, { ...before, trimmed: given });
    assert.deepEqual(figuresOf(other).scores, figuresOf(one).scores);
  });

  it('stops for a column that is missing in most rows, and resumes with --max-missing none', async t => {
    const lacking = table.map((row, i) => row.map((text, j) => (i > 0 && j === 2 ? '' : text)));
    const options = { ...(await files(t, { text: csv(lacking) })), batchRows: 500 };
    const scorer = await scorerOf(t);
    await assert.rejects(score(options, scorer), { code: 'too_many_missing', exitCode: 3 });
    await assert.rejects(score({ ...options, maxMissing: { percent: 99 } }, scorer), {
      code: 'too_many_missing',
    });
    const resumed = await score({ ...options, maxMissing: 'none' }, scorer);
    assert.equal(resumed?.rowCounts.scored, ROWS);
  });

  describe('stops a run over other data', () => {
    const PLAN = 2;
    /** A file in which all plans, or those from a row on, are unknown. */
    function garbled(t: TestContext, { rows = ROWS, from = 0 } = {}) {
      const garbage = table
        .slice(0, rows + 1)
        .map((row, i) => (i > from ? row.map((text, j) => (j === PLAN ? `x${i % 2}` : text)) : row));
      return files(t, { text: csv(garbage) });
    }
    const stopped = (read: number) => ({
      code: 'too_many_unseen',
      exitCode: 3,
      message: `${counted(read)} of ${counted(read)} values of "plan" are categories that the model does not know`,
      quote: /"x[01]", "x[01]"$/,
    });

    it('by default, from 1,000 rows on, and without an output', async t => {
      const options = await garbled(t);
      await assert.rejects(score({ ...options, batchRows: 1000 }, await scorerOf(t)), error => {
        assert.ok(error instanceof RowcastError);
        const [, read = ''] = /^([\d,]+) of /.exec(error.message) ?? [];
        assert.ok(Number(read.replaceAll(',', '')) < ROWS, error.message);
        assert.match(error.quote ?? '', /^the most common are "x[01]", "x[01]"$/);
        return true;
      });
      await assert.rejects(readFile(options.output), { code: 'ENOENT' });
    });

    it('also a short one, at its end', async t => {
      await assert.rejects(score(await garbled(t, { rows: 200 }), await scorerOf(t)), stopped(200));
    });

    slow('also with a service, whose batches are small', async t => {
      const options = { ...(await garbled(t, { rows: 500 })), batchRows: 90 };
      await assert.rejects(score(options, await serviceClient(t)), stopped(500));
    });

    it('and counts what an earlier process of the run has read', async t => {
      const options = { ...(await garbled(t, { from: 1650 })), checkpointInterval: 0 };
      const stop = new AbortController();
      const progress = ({ rowCounts }: RunProgress) => {
        if (rowCounts.read > 2000) stop.abort('SIGINT');
      };
      const first = score(options, await scorerOf(t), { stop: stop.signal, progress });
      await assert.rejects(first, Interrupted);
      // All rows of the second process are unknown, but fewer than half of all rows.
      await assert.rejects(score({ ...options, maxUnseen: { percent: 45 } }, await scorerOf(t)), {
        message: /^1,3\d\d of 2,[89]\d\d values of "plan"/,
      });
      const resumed = await score({ ...options, maxUnseen: 'none' }, await scorerOf(t));
      assert.equal(resumed?.rowCounts.scored, ROWS);
    });
  });
});
