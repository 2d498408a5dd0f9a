import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { isOfNumbers } from '../../../../src/base/contract/schemas.ts';
import { readReport } from '../../../../src/models/store/report-store.ts';
import { trainReport } from '../../../../src/training/train.ts';
import { newFolder } from '../../../support/folder.ts';
import { rowcast } from '../../../support/in-process.ts';
import { noBrowser } from '../../../support/service/browser.ts';
import { csv } from '../../../support/service/history.ts';
import { type Scope, shared } from '../../../support/shared.ts';
import { slow } from '../../../support/slow.ts';
import { checkLook, looks, ownersPage } from '../../../support/web/browser.ts';
import { ownedPlatform } from '../../../support/web/platform.ts';

/** A data directory with a report of amounts that depend on a number, a category and a date. */
async function homeOfNumbers(t: Scope): Promise<string> {
  const home = await newFolder(t);
  const historyFile = join(home, 'sales.csv');
  const rows = Array.from({ length: 120 }, (_, i) => {
    const plan = ['basic', 'plus', '<b>'][i % 3] ?? '';
    const day = `2026-0${1 + (i % 9)}-1${i % 10}`;
    const visits = (i * 37) % 60;
    const spent = 20 + visits * 3 + 15 * (i % 3) + (((i * 7919) % 101) - 50) / 10;
    return [String(visits), plan, day, spent.toFixed(2)];
  });
  await writeFile(historyFile, csv([['visits', 'plan', 'since', 'spent "€"'], ...rows]));
  await trainReport({ historyFile, predict: 'spent "€"', home, id: 'spent' });
  return home;
}

describe('the page of a report of numbers', () => {
  const platform = shared(async suite => ownedPlatform(suite, { home: await homeOfNumbers(suite) }));

  it('has its errors beside the baseline, charts, and a persona whose number changes along a column', async () => {
    const { browser, home } = platform();
    const report = await readReport(home, 'spent');
    assert.ok(isOfNumbers(report));
    const page = await browser.page('/predictions/spent');
    assert.match(page, /Predicts <strong>[^\n]*spent &quot;€&quot;/);
    assert.ok(page.includes(`<dt>Testing R²</dt><dd>${report.tech_specs.testing_r2}`));
    for (const chart of ['errors', 'driver-chart', 'actual', 'residuals', 'response'])
      assert.match(page, new RegExp(`<figure class="chart" id="${chart}"`), chart);
    assert.match(page, /Always \d+/);
    assert.doesNotMatch(page, /accuracy|probabilit|NaN|Infinity|<b>/i);
    assert.match(page, /<li>The report predicts a number, because [^<]* different ones\.<\/li>/);

    const [, shown = ''] = /role="status">([\d,.]+), more than is predicted for \d+% of/.exec(page) ?? [];
    const persona = { c0: '60', c1: '0', c2: '2026-02-11', along: 'c0' };
    const body = () => ({ method: 'POST', body: new URLSearchParams(persona) });
    const answer = await browser.fetch('/platform/reports/spent/persona', body());
    const { summary, probabilities } = (await answer.json()) as {
      summary: string;
      probabilities: number[];
    };
    const args = ['visits=60', 'plan=<b>', 'since=2026-02-11'];
    const { stdout } = await rowcast(['predict', '--report', 'spent', '--home', home, ...args]);
    assert.deepEqual(probabilities, [JSON.parse(stdout.toString()).value]);
    assert.ok(Number.parseFloat(summary) > Number.parseFloat(shown), `${summary} ${shown}`);
    const curve = await (await browser.fetch('/platform/reports/spent/curve', body())).text();
    assert.match(curve, /Predicted spent &quot;€&quot; by visits/);
    assert.match(curve, /How the prediction of this persona changes/);
    const wrong = { method: 'POST', body: new URLSearchParams({ ...persona, c0: 'x' }) };
    assert.equal((await browser.fetch('/platform/reports/spent/persona', wrong)).status, 422);
  });

  slow('shows its curve along categories, and lists and downloads say what it predicts', async () => {
    const { browser } = platform();
    const fields = new URLSearchParams({ c0: '5', along: 'c1' });
    const curve = await browser.fetch('/platform/reports/spent/curve', { method: 'POST', body: fields });
    assert.match(
      await curve.text(),
      /The prediction of this persona for 3 values of plan, from \d+ at the left/,
    );
    assert.match(await browser.page('/'), /spent<\/a>[\s\S]*R² 0\.\d+/);
    const results = await browser.fetch('/platform/reports/spent/testing-results.csv');
    assert.match(
      await results.text(),
      /^visits,plan,since,.*,"actual_spent ""€""","predicted_spent ""€"""\n/,
    );
  });

  for (const look of noBrowser ? [] : looks)
    slow(`is accessible and fits: ${look.theme}, ${look.width} pixels`, async t => {
      const { page, problems } = await ownersPage(t, { home: await homeOfNumbers(t), look });
      await page.goto('/predictions/spent');
      const before = await page.locator('#summary').textContent();
      await page.getByLabel('visits').first().fill('59');
      await page.locator('#summary', { hasNotText: before ?? '' }).waitFor();
      await checkLook(page);
      assert.deepEqual(problems, []);
    });
});
