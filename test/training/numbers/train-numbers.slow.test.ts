import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { parse } from 'csv-parse/sync';
import { isOfNumbers, type NumbersReport, reportResponse } from '../../../src/base/contract/schemas.ts';
import { startServer } from '../../../src/server/server.ts';
import type { RunningService } from '../../../src/server/service.ts';
import { seededRandom } from '../../../src/training/seeded-random.ts';
import { trainReport } from '../../../src/training/train.ts';
import type { TrainingOptions } from '../../../src/training/train-options.ts';
import { newFolder } from '../../support/folder.ts';
import { exits, rowcast } from '../../support/in-process.ts';
import { csv, homeWith } from '../../support/service/history.ts';

const key = 'key-of-a-test';

/** Sales with a revenue that depends on plan, visits and region. */
function sales(
  rows: number,
  revenueOf = (expected: number, random: () => number) => expected * (0.8 + 0.4 * random()),
) {
  const random = seededRandom(4);
  const plans = ['free', 'basic', 'pro'];
  const table = Array.from({ length: rows }, () => {
    const plan = Math.floor(3 * random());
    const visits = Math.floor(20 * random());
    const region = Math.floor(300 * random());
    const expected = 10 + 40 * plan + 3 * visits + (region % 7);
    return [
      plans[plan] ?? '',
      random() < 0.1 ? '' : String(visits),
      `r${region}`,
      revenueOf(expected, random).toFixed(2),
    ];
  });
  return [['plan', 'visits', 'region', 'revenue'], ...table];
}

async function trained(
  table: readonly (readonly string[])[],
  options: Partial<TrainingOptions> = {},
): Promise<{ report: NumbersReport; home: string }> {
  const { home, historyFile } = await homeWith(table);
  const report = await trainReport({ historyFile, predict: 'revenue', home, id: 'sales', ...options });
  assert.ok(isOfNumbers(report));
  return { report, home };
}

describe('a report of numbers', () => {
  let made: { report: NumbersReport; home: string };
  let service: RunningService;
  before(async () => {
    made = await trained(sales(1200));
    service = await startServer({ home: made.home, host: '127.0.0.1', port: 0, key });
  });
  after(() => service.close());

  const ask = (path: string, body?: string, type = 'application/json') =>
    fetch(service.url + path, {
      headers: { authorization: `ApiKey ${key}`, ...(body !== undefined && { 'content-type': type }) },
      ...(body !== undefined && { method: 'POST', body }),
    });

  it('has errors next to those of the median, deciles, drivers and a profile of its predictions', () => {
    const { numbers, classes, tech_specs: specs, quality, drivers, profile, warnings, notes } = made.report;
    assert.deepEqual([numbers, classes, warnings], [[], undefined, []]);
    assert.deepEqual(Object.keys(specs), [
      'algorithm',
      'objective',
      'testing_r2',
      'train_test_split',
      'training_r2',
      'validation_r2',
    ]);
    assert.equal(specs.testing_r2, quality.r2?.toFixed(3));
    assert.ok((quality.r2 ?? 0) > 0.8 && quality.rmse < 0.5 * quality.baseline.rmse, specs.testing_r2);
    assert.equal(quality.testing_rows, 240);
    assert.equal(quality.deciles.length, 10);
    for (const { low, actual, high, residuals } of quality.deciles) {
      assert.ok(low <= actual && actual <= high);
      assert.deepEqual(
        residuals,
        residuals.toSorted((a, b) => a - b),
      );
    }
    assert.equal(drivers[0]?.column, 'plan');
    assert.deepEqual(profile.scores, []);
    assert.equal(
      profile.numbers?.rows.reduce((sum, rows) => sum + rows, 0),
      240,
    );
    assert.match(notes[0] ?? '', /predicts a number, because "revenue" has more than 20 different ones/);
  });

  it('scores here as over HTTP, with predict, and as its testing results were', async t => {
    const folder = await newFolder(t);
    const personas = sales(1500).map(row => row.slice(0, 3));
    const input = join(folder, 'personas.csv');
    await writeFile(input, csv(personas));
    const [near, far] = [join(folder, 'near.csv'), join(folder, 'far.csv')];
    const hosted = { ROWCAST_URL: service.url, ROWCAST_API_KEY: key };
    const args = (output: string) => ['score', input, '-o', output, '--report', 'sales'];
    assert.equal((await rowcast(args(near), { env: { ROWCAST_HOME: made.home } })).code, 0);
    assert.equal((await rowcast(args(far), { env: hosted })).code, 0);
    const scored = await readFile(near, 'utf8');
    assert.equal(await readFile(far, 'utf8'), scored);
    const rows: Record<string, string>[] = parse(scored, { columns: true });
    assert.equal(rows.length, 1500);
    const features = rows.map(({ plan = '', visits = '', region = '' }) => ({ plan, visits, region }));
    const expected = rows.map(row => Number(row.predicted_revenue));

    const one = await ask('/user/persona', JSON.stringify({ id: 'sales', features: features[7] }));
    assert.deepEqual(await one.json(), { id: 'sales', value: expected[7] });
    const batch = { id: 'sales', personas: features.slice(0, 50).map(each => ({ features: each })) };
    const many = (await (await ask('/user/batch-persona', JSON.stringify(batch))).json()) as {
      predictions: { value: number }[];
    };
    assert.deepEqual(
      many.predictions,
      expected.slice(0, 50).map(value => ({ value })),
    );
    const file = await ask('/user/batch-predict?id=sales', csv(personas), 'text/csv');
    assert.equal(await file.text(), scored);
    const known = new Set(made.report.columns.map(({ name }) => name));
    const given = Object.entries(features[7] ?? {}).flatMap(([name, value]) =>
      known.has(name) ? [`${name}=${value}`] : [],
    );
    const predicted = await exits(
      rowcast(['predict', '--report', 'sales', ...given], {
        env: { ROWCAST_HOME: made.home },
      }),
      0,
    );
    assert.equal(JSON.parse(predicted.stdout.toString()).value, expected[7], predicted.stderr);
  });

  it('is what the service returns, with testing results that have its errors', async () => {
    const { model_sha256: hash, ...report } = reportResponse.parse(
      await (await ask('/user/report/sales')).json(),
    );
    assert.match(hash, /^[0-9a-f]{64}$/);
    assert.deepEqual(report, made.report);
    const results: Record<string, string>[] = parse(await (await ask('/user/testing-results/sales')).text(), {
      columns: true,
    });
    const squares = results.map(row => (Number(row.actual_revenue) - Number(row.predicted_revenue)) ** 2);
    const rmse = Math.sqrt(squares.reduce((sum, each) => sum + each, 0) / squares.length);
    assert.ok(Math.abs(rmse - made.report.quality.rmse) < 1e-4);
  });

  it('is the same for the same rows and seed', async () => {
    const again = await trained(sales(1200));
    assert.deepEqual(again.report, made.report);
    for (const file of ['model.zip', 'testing-results.csv'])
      assert.deepEqual(
        await readFile(join(again.home, 'reports/sales', file)),
        await readFile(join(made.home, 'reports/sales', file)),
      );
  });
});

it('a count with many zeros gets a loss of its own, and predictions that are positive', async () => {
  const { report, home } = await trained(
    sales(1500, (expected, random) =>
      random() < 0.6 ? 0 : Math.exp(expected / 25) * -Math.log(1 - random()),
    ),
  );
  assert.match(report.tech_specs.objective, /^(Poisson|Tweedie) deviance$/);
  const results: Record<string, string>[] = parse(
    await readFile(join(home, 'reports/sales/testing-results.csv'), 'utf8'),
    {
      columns: true,
    },
  );
  assert.ok(results.every(row => Number(row.predicted_revenue) > 0));
});

it('a number that is far from all others does not decide alone, and is noted', async () => {
  const table = sales(1200);
  for (const row of [100, 600, 1100]) (table[row] as string[])[3] = '99999999';
  const { report } = await trained(table);
  assert.equal(report.tech_specs.objective, 'absolute error');
  assert.ok(report.quality.median_error < 15, String(report.quality.median_error));
  assert.ok(report.notes.some(note => /"revenue" is far from all others in 3 rows/.test(note)));
});

it('numbers that differ only after seven digits are noted', async () => {
  const { report } = await trained(sales(400, expected => 9e15 + 1e6 * Math.round(expected)));
  const [note = ''] = report.notes.filter(each => /predictions have seven digits/.test(each));
  assert.match(note, /^"revenue" varies only by about \d{8} around 90000000\d{8}(\.\d+)?, but/);
});

it('a copy of the number and negative numbers are named; decimal commas are read', async () => {
  const table = sales(600, expected => expected - 13).map(
    ([plan = '', visits = '', region = '', revenue = ''], i) =>
      i === 0
        ? [plan, visits, region, 'gross', revenue]
        : [plan, visits, region, (1.19 * Number(revenue)).toFixed(2), revenue.replace('.', ',')],
  );
  const { report } = await trained(table);
  assert.deepEqual(
    report.warnings.map(({ code, message }) => [
      code,
      /"gross" alone nearly determines the number/.test(message),
    ]),
    [['leak', true]],
  );
  assert.ok(report.notes.includes('The commas in "revenue" are read as decimal commas.'));
  assert.ok(report.notes.some(note => /"revenue" is negative in \d+ of 600 rows/.test(note)));
});

it('numbers that nothing explains get a warning; ratings are classes, unless numbers are asked for', async () => {
  const table = sales(400, (_, random) => Math.floor(6 * random()));
  const { report } = await trained(table, { target: 'numbers' });
  assert.deepEqual(
    report.warnings.map(({ code }) => code),
    ['no_better_than_baseline'],
  );
  const { home, historyFile } = await homeWith(table);
  const classes = await trainReport({ historyFile, predict: 'revenue', home, id: 'sales' });
  assert.equal(classes.classes?.length, 6);
  assert.match(
    classes.notes.join('\n'),
    /predicts classes, because "revenue" has only 6 different numbers.*--target numbers/,
  );
});
