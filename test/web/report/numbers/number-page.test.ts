import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isOfNumbers } from '../../../../src/base/contract/schemas.ts';
import { readReport } from '../../../../src/models/store/report-store.ts';
import { rowcast } from '../../../support/in-process.ts';
import { shared } from '../../../support/shared.ts';
import { slow } from '../../../support/slow.ts';
import { homeOfNumbers } from '../../../support/web/home-of-numbers.ts';
import { ownedPlatform } from '../../../support/web/platform.ts';

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
});
