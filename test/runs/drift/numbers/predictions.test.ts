import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import type { Prediction } from '../../../../src/base/contract/schemas.ts';
import { type ScoreOptions, score } from '../../../../src/index.ts';
import { runMetrics } from '../../../../src/runs/summary/run-metrics.ts';
import { newFolder } from '../../../support/folder.ts';
import { importedHome, importedRows } from '../../../support/service/imported-home.ts';
import { slow } from '../../../support/slow.ts';

const rows = 1000;

/** A folder with an input, and runs of it with a scorer that predicts for ids. */
async function bench(t: TestContext) {
  const folder = await newFolder(t);
  const at = (name: string): string => join(folder, name);
  const input = `id\n${Array.from({ length: rows }, (_, id) => `${id}\n`).join('')}`;
  await writeFile(at('in.csv'), input);
  const run = { input: at('in.csv'), report: 'r', batchRows: 90, summary: at('run.json') };
  let runs = 0;
  return (predict: (id: number) => Prediction, more: Partial<ScoreOptions> = {}) =>
    score({
      ...run,
      output: at(`out${runs++}.csv`),
      scorer: {
        name: 'mine',
        report: async () => ({ predicts: 'plan' }),
        score: async ({ personas }) => personas.map(({ id }) => predict(Number(id))),
        async close() {},
      },
      ...more,
    });
}

const earlier = async (summary: object, t: TestContext): Promise<string> => {
  const file = join(await newFolder(t), 'earlier.json');
  await writeFile(file, JSON.stringify(summary));
  return file;
};

describe('the summary of a run that predicts', () => {
  it('a number has its mean, deciles and ranges, which a later run is compared with', async t => {
    const scoring = await bench(t);
    const before = await scoring(id => ({ value: id - 400 }));
    const { mean, deciles = [], kind, ranges } = before.scores?.prediction ?? {};
    assert.deepEqual([kind, mean, before.labels], ['number', 99.5, null]);
    for (const [i, decile] of deciles.entries()) {
      const exact = (i + 1) * 100 - 400;
      assert.ok(Math.abs(decile - exact) <= Math.abs(exact) / 64 + 1, `${decile}, not ${exact}`);
    }
    assert.equal(
      ranges?.rows.reduce((sum, own) => sum + own, 0),
      rows,
    );
    const compare = await earlier(before, t);
    const same = await scoring(id => ({ value: id - 400 }), { compare });
    assert.equal(same.drift?.scores.prediction?.psi, 0);
    const moved = await scoring(id => ({ value: id + 400 }), { compare });
    assert.equal(moved.drift?.scores.prediction?.change, 'significant');
    assert.match(
      moved.warnings.at(-1)?.message ?? '',
      /significant change in the predicted numbers \(PSI \d/,
    );
    await assert.rejects(
      scoring(id => ({ value: id + 400 }), { compare, maxDrift: 0.2 }),
      {
        code: 'too_much_drift',
        message: /the predicted numbers \(PSI/,
      },
    );
  });

  it('mostly zeros shows that they became negative', async t => {
    const scoring = await bench(t);
    const compare = await earlier(await scoring(id => ({ value: id % 20 === 0 ? 5 : 0 })), t);
    const { drift } = await scoring(id => ({ value: id % 20 === 0 ? 5 : -1 }), { compare });
    assert.equal(drift?.scores.prediction?.change, 'significant');
  });

  it('several numbers has each by its name', async t => {
    const scoring = await bench(t);
    const { scores } = await scoring(id => ({ values: { mean: 2, upper: id } }));
    assert.deepEqual(
      Object.entries(scores ?? {}).map(([name, figures]) => [name, figures.mean]),
      [
        ['mean', 2],
        ['upper', 499.5],
      ],
    );
  });

  it('labels has the rows of each, which a later run is compared with', async t => {
    const scoring = await bench(t);
    const labelOf = (limit: number) => (id: number) => ({ label: id < limit ? '__proto__' : 'yes' });
    const before = await scoring(labelOf(100));
    assert.deepEqual(before.labels, { names: ['yes', '__proto__'], rows: [900, 100], others: 0 });
    assert.equal(before.scores, null);
    const compare = await earlier(before, t);
    assert.equal((await scoring(labelOf(100), { compare })).drift?.labels?.psi, 0);
    const after = await scoring(id => ({ label: id < 500 ? 'maybe' : 'yes' }), { compare });
    assert.equal(after.drift?.labels?.change, 'significant');
    assert.match(after.warnings.at(-1)?.message ?? '', /significant change in the predicted labels/);
  });

  it('numbers or labels has metrics of them', async t => {
    const scoring = await bench(t);
    const metricsOf = async (predict: (id: number) => Prediction) => {
      const before = await scoring(predict);
      const summary = await scoring(predict, { compare: await earlier(before, t) });
      return new Map(
        runMetrics(summary).map(({ name, samples }) => [
          name,
          samples.map(({ labels: { output: _, report: __, ...own }, value }) => [own, value]),
        ]),
      );
    };
    const numbers = await metricsOf(id => ({ value: id }));
    assert.deepEqual(numbers.get('prediction_mean'), [[{ number: 'prediction' }, 499.5]]);
    assert.deepEqual(numbers.get('prediction_psi'), [[{ number: 'prediction' }, 0]]);
    assert.deepEqual(numbers.get('score_mean'), []);
    const labels = await metricsOf(id => ({ label: id < 100 ? 'no' : 'yes' }));
    assert.deepEqual(labels.get('prediction_share'), [
      [{ label: 'yes' }, 0.9],
      [{ label: 'no' }, 0.1],
    ]);
    assert.deepEqual(labels.get('prediction_psi'), [[{}, 0]]);
  });

  slow('a number of an import is the same after it was resumed, and whatever its batches are', async t => {
    const home = await importedHome(t);
    const folder = await newFolder(t);
    const at = (name: string): string => join(folder, name);
    await writeFile(at('in.csv'), importedRows(5000));
    const run = { input: at('in.csv'), report: 'number', home, summary: at('run.json') };
    const whole = await score({ ...run, output: at('whole.csv') });
    const resuming = { ...run, output: at('out.csv'), batchRows: 70, checkpointInterval: 0 };
    const stop = new AbortController();
    await assert.rejects(
      score({
        ...resuming,
        signal: stop.signal,
        onProgress: ({ rows: { read } }) => read > 1000 && stop.abort(),
      }),
      { code: 'interrupted' },
    );
    const resumed = await score(resuming);
    assert.ok((resumed.resumed_from_row ?? 0) > 1);
    assert.deepEqual(resumed.scores, whole.scores);
    const amounts = (await readFile(at('out.csv'), 'utf8')).trim().split('\n').slice(1);
    const sum = amounts.reduce((total, line) => total + Number(line.split(',').at(-1)), 0);
    assert.equal(whole.scores?.prediction?.mean, Number((sum / 5000).toPrecision(6)));
  });
});
